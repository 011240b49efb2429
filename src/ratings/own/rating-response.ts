import type { WorkKind } from '../../catalog/kinds.ts'
import { workTypeOf } from '../../catalog/work-types.ts'
import { pickFields, ratingFieldsOf } from '../fields.ts'
import type { RatingHistoryRow } from './history-queries.ts'
import type { ListedRating, Rating } from './queries.ts'

/** A record as it goes over the wire (§2.12): with the fields of the work's kind, times as ISO 8601 UTC. */
export function toRatingResponse(kind: WorkKind, rating: Rating) {
  return {
    id: rating.id,
    created_at: rating.created_at.toISOString(),
    updated_at: rating.updated_at.toISOString(),
    like_count: rating.like_count,
    dislike_count: rating.dislike_count,
    ...pickFields(rating, ratingFieldsOf(kind)),
  }
}

const workOf = ({ kind, work_id, work }: Pick<ListedRating, 'kind' | 'work_id' | 'work'>) => ({
  work_type: workTypeOf(kind),
  work_id,
  work,
})

/** The same in a file that the reader takes along, with the work it is of. */
export const toExportedRating = (rating: ListedRating) => ({
  ...workOf(rating),
  ...toRatingResponse(rating.kind, rating),
})

export const toHistoryResponse = ({
  kind,
  work_id,
  work,
  changed_at,
  ...entry
}: RatingHistoryRow) => ({
  ...entry,
  work_type: workTypeOf(kind),
  work_id,
  work,
  changed_at: changed_at.toISOString(),
})
