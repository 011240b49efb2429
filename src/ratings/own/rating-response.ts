import type { WorkKind } from '../../catalog/kinds.ts'
import { workTypeOf } from '../../catalog/work-types.ts'
import { pickFields, ratingFieldsOf } from '../fields.ts'
import type { ExportedProgress, ExportedRating } from '../lists/export-queries.ts'
import type { RatingHistoryRow } from './history-queries.ts'
import { withoutNote } from '../progress/note-access.ts'
import type { Rating } from './queries.ts'

/** Returns a rating as the API sends it (§2.12), with the fields of the work's kind, and times in ISO 8601 UTC. */
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

export const toExportedRating = (rating: ExportedRating) => ({
  work_type: workTypeOf(rating.kind),
  work_id: rating.work_id,
  work: rating.work,
  ...toRatingResponse(rating.kind, rating),
  external_ids: rating.external_ids,
  ...(rating.progress && { progress: rating.progress }),
})

export const toExportedProgress = (entry: ExportedProgress) => ({
  work_type: workTypeOf(entry.kind),
  work_id: entry.work_id,
  work: entry.work,
  external_ids: entry.external_ids,
  progress: entry.progress,
})

/** @param hasNote whether the caller may read private notes */
export const toHistoryResponse = ({ kind, ...entry }: RatingHistoryRow, hasNote: boolean) => ({
  ...entry,
  fields: hasNote ? entry.fields : withoutNote(entry.fields),
  work_type: workTypeOf(kind),
})
