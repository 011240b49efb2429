import { Type } from 'typebox'
import { byWorkKind, KINDS, type WorkKind } from '../../catalog/kinds.ts'
import { WHOLE_POINTS } from '../../catalog/whole-points.ts'
import { Closed, Named, Nullable, ObjectOf } from '../../http/wire/schemas.ts'
import { STATUSES, SUB_SCORES } from '../fields.ts'

const count = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description !== undefined && { description }) })
const average = (description: string) =>
  Nullable(Type.Number({ minimum: 1, maximum: 10, description }))

const scoreSummary = {
  total: count('Number of scores'),
  mean: average('To two decimals; null without scores'),
  median: average('To two decimals; null without scores'),
  scores: ObjectOf(WHOLE_POINTS, count(), {
    title: 'ScoreCounts',
    description: 'Number of scores by whole points: 8.5 counts as 8',
  }),
}

const statistics = (kind: WorkKind) => ({
  average: average('Mean score, to two decimals; null without scores'),
  rated_count: count('Number of scores'),
  content_count: count('Number of public reviews'),
  played_count: count('Users who have started the work: any status except `PLAN`'),
  total_count: count('Users whose rating is not private, with or without a status'),
  distribution: Type.Array(
    Closed({ score: Type.Integer({ minimum: 1, maximum: 10 }), count: count() }),
    { description: 'Number of scores by whole points from 1 to 10: 8.5 counts as 8' },
  ),
  status_counts: ObjectOf(
    STATUSES.map((status) => status.toLowerCase()),
    count(),
    { title: 'StatusCounts' },
  ),
  dimension_averages: ObjectOf(
    SUB_SCORES[kind].map((name) => name.replace('rate_', '')),
    average('Same as `average`, for this sub-score'),
  ),
  statuses: ObjectOf(STATUSES, count(), {
    description: 'Users by status, without private ratings',
  }),
  ...scoreSummary,
  bayesian_mean: average(
    'Mean as if ten more users had given the mean score of all works of the kind; for comparing works with few scores',
  ),
  sub_scores: ObjectOf(SUB_SCORES[kind], Closed(scoreSummary, { title: 'ScoreSummary' })),
})

/** Statistics of all ratings of a work (decision 0013). */
export const STATISTICS = byWorkKind((kind) =>
  Named(`${KINDS[kind].singular}RatingStatistics`, statistics(kind)),
)
