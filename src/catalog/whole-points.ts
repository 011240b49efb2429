/**
 * Returns a score rounded down to whole points, from 1 to 10: 8.5 counts as 8 (decision 0013). All counts per whole
 * point use it.
 */
export const wholePointsOf = (score: number) => Math.floor(score)

/** `wholePointsOf` as an SQL expression. @param score an SQL expression of type numeric */
export const wholePointsSql = (score: string) => `floor(${score})::integer`

/** All possible whole points, in ascending order. */
export const WHOLE_POINTS: readonly number[] = Array.from({ length: 10 }, (_, index) => index + 1)
