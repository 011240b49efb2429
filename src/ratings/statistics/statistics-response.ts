import type { WorkKind } from '../../catalog/kinds.ts'
import { STATUSES, SUB_SCORES, type Status } from '../fields.ts'
import { bayesianMean, summarize } from './histogram.ts'
import type { RatingCounts } from './queries.ts'

/** Statuses of users who have started the work. */
const STARTED: readonly Status[] = ['GOING', 'COMPLETED', 'ON_HOLD', 'DROPPED']

/** Returns a work's statistics as the API sends them (decision 0013). */
export function toStatistics(
  kind: WorkKind,
  { counts, kind_scores }: Pick<RatingCounts, 'counts' | 'kind_scores'>,
) {
  const countsOf = (name: string) => counts.filter(({ field }) => field === name)
  const scoresOf = (name: string) =>
    countsOf(name).map(({ value, amount }) => ({ score: Number(value), amount }))
  const usersWith = (status: Status) =>
    countsOf('status').find(({ value }) => value === status)?.amount ?? 0
  const rates = scoresOf('rate')
  const { total, mean, median, scores } = summarize(rates)
  const subScores = SUB_SCORES[kind].map((name) => [name, summarize(scoresOf(name))] as const)
  return {
    average: mean,
    rated_count: total,
    content_count: sumOf(countsOf('content')),
    played_count: STARTED.reduce((sum, status) => sum + usersWith(status), 0),
    total_count: sumOf(countsOf('status')),
    distribution: Object.entries(scores).map(([points, count]) => ({
      score: Number(points),
      count,
    })),
    status_counts: Object.fromEntries(
      STATUSES.map((status) => [status.toLowerCase(), usersWith(status)]),
    ),
    dimension_averages: Object.fromEntries(
      subScores.map(([name, summary]) => [name.replace('rate_', ''), summary.mean]),
    ),
    statuses: Object.fromEntries(STATUSES.map((status) => [status, usersWith(status)])),
    total,
    mean,
    median,
    bayesian_mean: bayesianMean(rates, kind_scores),
    scores,
    sub_scores: Object.fromEntries(subScores),
  }
}

const sumOf = (counts: { amount: number }[]) =>
  counts.reduce((sum, { amount: count }) => sum + count, 0)

/** Input for the example in the OpenAPI document. */
export const EXAMPLE_COUNTS = {
  counts: [
    { field: 'content', value: 'REVIEW', amount: 1 },
    { field: 'status', value: 'COMPLETED', amount: 2 },
    { field: 'rate', value: '8.5', amount: 1 },
    { field: 'rate', value: '9.0', amount: 1 },
  ],
  kind_scores: { total: 340, sum: 2_516 },
}
