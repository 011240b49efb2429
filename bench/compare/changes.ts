import { table } from '../../bin/print.ts'
import { describeBusy, markOf, type Result, type Series } from '../support/report.ts'
import { changeOf, SAME_PROGRAM, type Interval } from './interval.ts'

/** Result of a claim on both commits. */
export type ClaimOutcome = {
  name: string
  before: Result[]
  after: Result[]
  /** Side on which it failed, and why. */
  failure?: { commit: string; error: Error }
}

/** Formats the comparison of two commits: what changed, by how much, and what is uncertain. */
export function reportChanges(
  commits: { before: string; after: string },
  claims: ClaimOutcome[],
): string[] {
  const rows = claims.flatMap(({ before, after }) => linesOf(before, after))
  const head = ['row', 'in', commits.before, commits.after, 'ratio', 'lies within', '', '']
  return [
    ...(rows.length > 0 ? table([head, ...rows]) : []),
    ...claims.flatMap(describeMissing),
    '',
    `The ratio is ${commits.after} to ${commits.before}, the median of pairs measured one after the other; it lies within the interval with 99 %.`,
    `"better" and "worse" mean that the whole interval is more than ${SAME_PROGRAM * 100} % away from 1.`,
    ...describeBusy(claims.flatMap(({ after }) => after)),
  ]
}

function linesOf(before: Result[], after: Result[]): string[][] {
  return after.flatMap((result) => {
    const other = before.find(({ row }) => row === result.row)
    if (!other) return []
    return (result.series ?? []).flatMap((series) => {
      const match = other.series?.find(({ unit }) => unit === series.unit)
      return match ? [lineOf(result, match, series)] : []
    })
  })
}

function lineOf({ row, busy }: Result, before: Series, after: Series): string[] {
  const change = changeOf(before, after)
  return [
    row,
    after.unit,
    describeValue(change.before),
    describeValue(change.after),
    change.ratio.toFixed(3),
    describeInterval(change.interval),
    change.verdict,
    markOf(busy),
  ]
}

const describeValue = (value: number) =>
  value.toLocaleString('en', { maximumFractionDigits: value < 1_000 ? 1 : 0 })

const describeInterval = (interval: Interval | undefined) =>
  interval ? `${interval.low.toFixed(3)}–${interval.high.toFixed(3)}` : ''

function describeMissing({ name, before, after, failure }: ClaimOutcome): string[] {
  if (failure)
    return [
      `${name} cannot run on ${failure.commit}: ${failure.error.message.trim().split('\n')[0]}`,
    ]
  const rowsOf = (results: Result[]) => new Set(results.map(({ row }) => row))
  const missing = rowsOf(before).symmetricDifference(rowsOf(after))
  return [...missing].map((row) => `${name}: only one of the two has the row "${row}"`)
}
