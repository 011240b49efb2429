import { workTypeOf } from '../../catalog/work-types.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import { pickFieldsOf } from './fields.ts'
import type { WorkProgress } from './queries.ts'

/** Returns progress as the API sends it, with the fields of the work's kind. */
export const toProgressResponse = (
  { kind, workId }: { kind: WorkKind; workId: number },
  progress: WorkProgress,
  volumesTotal: number | undefined,
) => ({
  work_type: workTypeOf(kind),
  work_id: workId,
  ...pickFieldsOf(kind, progress),
  volumes_total: volumesTotal ?? null,
  updated_at: progress.updated_at?.toISOString() ?? null,
})
