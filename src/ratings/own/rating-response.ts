import type { WorkKind } from '../../catalog/kinds.ts'
import { hasTimeToFinish, SUB_SCORES } from '../fields.ts'
import type { RatingHistoryEntry } from './history-queries.ts'
import type { ListedRating, Rating } from './queries.ts'

/** A record as it goes over the wire (§2.12): with the sub-scores of the work's kind, times as ISO 8601 UTC. */
export function toRatingResponse(kind: WorkKind, rating: Rating) {
  return {
    id: rating.id,
    created_at: rating.created_at.toISOString(),
    updated_at: rating.updated_at.toISOString(),
    like_count: rating.like_count,
    dislike_count: rating.dislike_count,
    is_spoiler: rating.is_spoiler,
    rate: rating.rate,
    ...Object.fromEntries(SUB_SCORES[kind].map((name) => [name, rating[name]])),
    rate_content: rating.rate_content,
    status: rating.status,
    status_private: rating.status_private,
    ...(hasTimeToFinish(kind) && { time_to_finish_minutes: rating.time_to_finish_minutes }),
  }
}

/** The same in a list, with the work it is of. */
export const toListedRatingResponse = (rating: ListedRating) => ({
  work_type: rating.work_type,
  work_id: rating.work_id,
  work: rating.work,
  ...toRatingResponse(rating.work_type, rating),
})

export const toHistoryResponse = ({ changed_at, ...entry }: RatingHistoryEntry) => ({
  ...entry,
  changed_at: changed_at.toISOString(),
})
