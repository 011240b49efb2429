/** Limits of users' records. They also apply when two works are merged. */

export const MAX_PRIVATE_NOTE_LENGTH = 10_000
/** Maximum number of labels per work, and of different labels per user. */
export const MAX_LABELS = 50
