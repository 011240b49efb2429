import type { WorkKind } from '../../catalog/kinds.ts'
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

/** The same in a list, with the work it is of. */
export const toListedRatingResponse = (rating: ListedRating) => ({
  work_type: rating.work_type,
  work_id: rating.work_id,
  work: rating.work,
  ...toRatingResponse(rating.work_type, rating),
})

export const toHistoryResponse = ({ changed_at, ...entry }: RatingHistoryRow) => ({
  ...entry,
  changed_at: changed_at.toISOString(),
})
