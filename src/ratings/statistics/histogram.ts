import { WHOLE_POINTS, wholePointsOf } from '../../catalog/whole-points.ts'

/** How often a score was given; scores have one decimal. */
export type ScoreCount = { score: number; amount: number }

/** Statistics of scores; `mean` and `median` are null when there are none. */
export type ScoreSummary = {
  total: number
  mean: number | null
  median: number | null
  /** Counts by whole points, "1" to "10". */
  scores: Record<string, number>
}

/**
 * Scores of an average reader that the Bayesian mean puts beside those given. Ten: a work with ten scores stands halfway
 * between their mean and that of all works of its kind, and one with a hundred almost at its own; far fewer and a single
 * ten would lead every list, far more and the works few have read would all look alike.
 */
const IMAGINED_SCORES = 10

/** Statistics of a work's scores, to two decimals. */
export function summarize(counts: ScoreCount[]): ScoreSummary {
  const sorted = counts
    // In tenths: whole numbers, whose sums and means are exact.
    .map(({ score, amount }) => ({ tenths: Math.round(score * 10), amount }))
    .toSorted((one, other) => one.tenths - other.tenths)
  const total = sorted.reduce((sum, { amount }) => sum + amount, 0)
  const sum = sorted.reduce((all, { tenths, amount }) => all + tenths * amount, 0)
  const scores = Object.fromEntries(WHOLE_POINTS.map((points) => [String(points), 0]))
  for (const { tenths, amount } of sorted) {
    const points = String(wholePointsOf(tenths / 10))
    scores[points] = (scores[points] ?? 0) + amount
  }
  if (total === 0) return { total, mean: null, median: null, scores }
  const low = tenthsAt(sorted, Math.floor((total - 1) / 2))
  const high = tenthsAt(sorted, Math.floor(total / 2))
  return {
    total,
    mean: toHundredths(sum * 10, total),
    median: toHundredths((low + high) * 5, 1),
    scores,
  }
}

/**
 * The mean of a work's scores and `IMAGINED_SCORES` that are each the mean of all scores of its kind.
 *
 * @returns to two decimals; null when the work has no scores
 */
export function bayesianMean(
  counts: ScoreCount[],
  kindScores: { total: number; sum: number },
): number | null {
  const total = counts.reduce((all, { amount }) => all + amount, 0)
  if (total === 0 || kindScores.total === 0) return null
  const tenths = counts.reduce((all, { score, amount }) => all + Math.round(score * 10) * amount, 0)
  const imagined = (IMAGINED_SCORES * kindScores.sum) / kindScores.total
  return Math.round(((imagined + tenths / 10) / (IMAGINED_SCORES + total)) * 100) / 100
}

/** The score at a place, from 0, among all of them from the lowest on. */
function tenthsAt(sorted: { tenths: number; amount: number }[], place: number): number {
  let passed = 0
  for (const { tenths, amount } of sorted) {
    passed += amount
    if (place < passed) return tenths
  }
  throw new RangeError(`There are ${passed} scores and none at ${place}`)
}

/** A quotient of whole numbers, both in hundredths, rounded half up to a number with two decimals. */
const toHundredths = (dividend: number, divisor: number) => Math.round(dividend / divisor) / 100
