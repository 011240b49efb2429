/**
 * The whole points that a score counts as wherever scores are counted by whole points, 1 to 10: rounded down, so that 8.5
 * counts as 8 (decision 0013).
 */
export const wholePointsOf = (score: number) => Math.floor(score)

/** `wholePointsOf` as an SQL expression. @param score an SQL expression of type numeric */
export const wholePointsSql = (score: string) => `floor(${score})::integer`

/** Every count of whole points, from the lowest. */
export const WHOLE_POINTS: readonly number[] = Array.from({ length: 10 }, (_, index) => index + 1)
