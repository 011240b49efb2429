/** Limits of users' records that are also needed where records of merged works are joined. */

export const MAX_PRIVATE_NOTE_LENGTH = 10_000
/** Maximum number of labels per work, and of different labels per user. */
export const MAX_LABELS = 50
