import { workTypeOf } from '../../catalog/work-types.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import { pickFieldsOf } from './fields.ts'
import { withoutNote } from './note-access.ts'
import type { WorkProgress } from './queries.ts'

/**
 * Returns progress as the API sends it, with the fields of the work's kind.
 *
 * @param hasNote whether the caller may read the private note
 */
export const toProgressResponse = (
  { kind, workId }: { kind: WorkKind; workId: number },
  progress: WorkProgress,
  { volumesTotal, hasNote }: { volumesTotal: number | undefined; hasNote: boolean },
) => ({
  work_type: workTypeOf(kind),
  work_id: workId,
  ...pickFieldsOf(kind, hasNote ? progress : withoutNote(progress)),
  volumes_total: volumesTotal ?? null,
  updated_at: progress.updated_at?.toISOString() ?? null,
})
