import { WHOLE_POINTS, wholePointsOf } from '../../catalog/whole-points.ts'

/** Number of times a score was given, keyed by the score with one decimal. */
type ScoreCount = { score: number; amount: number }

/**
 * Number of average scores that the Bayesian mean adds. A work with ten scores is then halfway between its own mean
 * and the mean of its kind. With a much lower number, a single 10 would lead every list. With a much higher one, all
 * works with few scores would look alike.
 */
const PRIOR_SCORES = 10

/**
 * Summarizes a work's scores.
 *
 * @returns `mean` and `median` to two decimals, null without scores; `scores` counts per whole point, "1" to "10"
 */
export function summarize(counts: ScoreCount[]) {
  const sorted = counts
    // Tenths are whole numbers, so their sums are exact.
    .map(({ score, amount }) => ({ tenths: Math.round(score * 10), amount }))
    .toSorted((a, b) => a.tenths - b.tenths)
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
 * Computes the mean of a work's scores and `PRIOR_SCORES` additional scores that equal the mean of its kind.
 *
 * @returns the mean to two decimals; null if the work has no scores
 */
export function bayesianMean(
  counts: ScoreCount[],
  kindScores: { total: number; sum: number },
): number | null {
  const total = counts.reduce((all, { amount }) => all + amount, 0)
  if (total === 0 || kindScores.total === 0) return null
  const tenths = counts.reduce((all, { score, amount }) => all + Math.round(score * 10) * amount, 0)
  const prior = (PRIOR_SCORES * kindScores.sum) / kindScores.total
  return Math.round(((prior + tenths / 10) / (PRIOR_SCORES + total)) * 100) / 100
}

function tenthsAt(sorted: { tenths: number; amount: number }[], index: number): number {
  let passed = 0
  for (const { tenths, amount } of sorted) {
    passed += amount
    if (index < passed) return tenths
  }
  throw new RangeError(`Index ${index} is out of range: there are ${passed} scores`)
}

/** Divides whole numbers of hundredths. Rounds half up to two decimals. */
const toHundredths = (dividend: number, divisor: number) => Math.round(dividend / divisor) / 100
