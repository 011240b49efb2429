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
  total: count('Scores given'),
  mean: average('To two decimals; null when there are no scores'),
  median: average('To two decimals; null when there are no scores'),
  scores: Type.Object(Object.fromEntries(WHOLE_POINTS.map((points) => [String(points), count()])), {
    ...closed,
    title: 'ScoreCounts',
    description: 'Scores given, by whole points: 8.5 is under 8',
  }),
}

const statistics = (kind: WorkKind) => ({
  average: average('The mean of the scores, to two decimals; null when there are none'),
  rated_count: count('Scores given'),
  content_count: count('Reviews that everybody may read'),
  played_count: count('Readers who have begun with it: of any status but `PLAN`'),
  total_count: count('Readers with a record that is not private, whether it has a status or not'),
  distribution: Type.Array(
    Type.Object({ score: Type.Integer({ minimum: 1, maximum: 10 }), count: count() }, closed),
    { description: 'Scores given, by whole points from 1 to 10: 8.5 is under 8' },
  ),
  status_counts: Type.Object(
    Object.fromEntries(STATUSES.map((status) => [status.toLowerCase(), count()])),
    { ...closed, title: 'StatusCounts' },
  ),
  dimension_averages: Type.Object(
    Object.fromEntries(
      SUB_SCORES[kind].map((name) => [
        name.replace('rate_', ''),
        average('As `average`, of this sub-score'),
      ]),
    ),
    closed,
  ),
  statuses: Type.Object(Object.fromEntries(STATUSES.map((status) => [status, count()])), {
    ...closed,
    description: 'Readers by status, without those who keep theirs to themselves',
  }),
  ...scoreSummary,
  bayesian_mean: average(
    'The mean as if ten more readers had given the mean of all works of this kind: for comparing works few have scored',
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
