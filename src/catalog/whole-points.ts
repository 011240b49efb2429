/**
 * Returns a score in whole points, from 1 to 10, as every count by whole points uses it. Scores are rounded down: 8.5
 * counts as 8 (decision 0013).
 */
export const wholePointsOf = (score: number) => Math.floor(score)

/** `wholePointsOf` as an SQL expression. @param score an SQL expression of type numeric */
export const wholePointsSql = (score: string) => `floor(${score})::integer`

/** All whole points, in ascending order. */
export const WHOLE_POINTS: readonly number[] = Array.from({ length: 10 }, (_, index) => index + 1)
