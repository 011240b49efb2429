import { Type } from 'typebox'
import { byWorkKind, KINDS, type WorkKind } from '../../catalog/kinds.ts'
import { WHOLE_POINTS } from '../../catalog/whole-points.ts'
import { Named, Nullable } from '../../http/wire/schemas.ts'
import { STATUSES, SUB_SCORES } from '../fields.ts'

const count = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description !== undefined && { description }) })
const average = (description: string) =>
  Nullable(Type.Number({ minimum: 1, maximum: 10, description }))

const closed = { additionalProperties: false }
const scoreSummary = {
  total: count('Number of scores'),
  mean: average('To two decimals; null without scores'),
  median: average('To two decimals; null without scores'),
  scores: Type.Object(Object.fromEntries(WHOLE_POINTS.map((points) => [String(points), count()])), {
    ...closed,
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
    Type.Object({ score: Type.Integer({ minimum: 1, maximum: 10 }), count: count() }, closed),
    { description: 'Number of scores by whole points from 1 to 10: 8.5 counts as 8' },
  ),
  status_counts: Type.Object(
    Object.fromEntries(STATUSES.map((status) => [status.toLowerCase(), count()])),
    { ...closed, title: 'StatusCounts' },
  ),
  dimension_averages: Type.Object(
    Object.fromEntries(
      SUB_SCORES[kind].map((name) => [
        name.replace('rate_', ''),
        average('Same as `average`, for this sub-score'),
      ]),
    ),
    closed,
  ),
  statuses: Type.Object(Object.fromEntries(STATUSES.map((status) => [status, count()])), {
    ...closed,
    description: 'Users by status, without private ratings',
  }),
  ...scoreSummary,
  bayesian_mean: average(
    'Mean as if ten more users had given the mean score of all works of the kind; for comparing works with few scores',
  ),
  sub_scores: Type.Object(
    Object.fromEntries(
      SUB_SCORES[kind].map((name) => [
        name,
        Type.Object(scoreSummary, { ...closed, title: 'ScoreSummary' }),
      ]),
    ),
    closed,
  ),
})

/** Statistics of all ratings of a work (decision 0013). */
export const STATISTICS = byWorkKind((kind) =>
  Named(`${KINDS[kind].singular}RatingStatistics`, statistics(kind)),
)
