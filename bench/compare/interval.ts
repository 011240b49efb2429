import type { Series } from '../support/report.ts'
import { median } from '../support/rounds.ts'

/** Confidence of an interval. With twenty rows of the same commit, one in five runs has a false alarm. */
const CONFIDENCE = 0.99
/**
 * Two processes of the same commit differ by this much, because of compilation and memory layout. More rounds of the
 * same two processes do not reveal it.
 */
export const SAME_PROGRAM = 0.03

export type Interval = { low: number; high: number }

/**
 * Returns the interval of the sign test for the median, between the n-th lowest and the n-th highest value. It holds
 * for any distribution.
 *
 * @returns undefined for fewer than eight values, too few for that confidence
 */
export function medianInterval(values: number[], confidence = CONFIDENCE): Interval | undefined {
  const sorted = values.toSorted((a, b) => a - b)
  // Probability that exactly `index` of `sorted.length` fair coins show heads, and that at most `index` do.
  let chance = 0.5 ** sorted.length
  let tail = chance
  let index = -1
  while (1 - 2 * tail >= confidence && index + 1 < sorted.length / 2) {
    index += 1
    chance *= (sorted.length - index) / (index + 1)
    tail += chance
  }
  const [low, high] = [sorted[index], sorted[sorted.length - 1 - index]]
  return index < 0 || low === undefined || high === undefined ? undefined : { low, high }
}

export type SeriesChange = {
  before: number
  after: number
  /** Median ratio of the values after to those before. Compares values that were measured right after each other. */
  ratio: number
  interval: Interval | undefined
  verdict: 'better' | 'worse' | 'no difference beyond noise' | 'too few values to tell'
}

/** Result of a series; paired values have the same index. */
export function changeOf(before: Series, after: Series): SeriesChange {
  const pairs = before.values.slice(0, after.values.length)
  const ratios = pairs.map((value, index) => (after.values[index] ?? Number.NaN) / value)
  const interval = medianInterval(ratios)
  return {
    before: median(before.values),
    after: median(after.values),
    ratio: median(ratios),
    interval,
    verdict: verdictOn(interval, after.better),
  }
}

function verdictOn(
  interval: Interval | undefined,
  better: Series['better'],
): SeriesChange['verdict'] {
  if (!interval) return 'too few values to tell'
  const [grown, shrunk] = [interval.low > 1 + SAME_PROGRAM, interval.high < 1 - SAME_PROGRAM]
  if (!grown && !shrunk) return 'no difference beyond noise'
  return grown === (better === 'more') ? 'better' : 'worse'
}
