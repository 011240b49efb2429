/** Limits of users' records, which merging two works must also respect. */

export const MAX_PRIVATE_NOTE_LENGTH = 10_000
/** Maximum number of labels per work, and of different labels per user. */
export const MAX_LABELS = 50
