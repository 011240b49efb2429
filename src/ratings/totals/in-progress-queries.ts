import { type EntrySummary, entrySummarySql } from '../../browse/summary.ts'
import { WORK_KINDS } from '../../catalog/kinds.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'

const IN_PROGRESS = statement('ratings.in_progress').returning<{ entry: EntrySummary | null }>(`
  select ${entrySummarySql('going', '$1::boolean', WORK_KINDS)} as entry
  from (
    select work.kind, work.id, counted.amount
    from rating_counts counted
    join shown_works work on work.id = counted.work_id
    where counted.field = 'status' and counted.value = 'GOING' and counted.amount > 0 and ($1 or not work.nsfw)
    order by counted.amount desc, counted.work_id desc
    limit $2
  ) going
  order by going.amount desc, going.id desc`)

export async function listInProgressWorks(
  db: Database,
  seesNsfw: boolean,
  limit: number,
): Promise<EntrySummary[]> {
  const rows = await queryRows(db, IN_PROGRESS, [seesNsfw, limit])
  return rows.flatMap(({ entry }) => entry ?? [])
}
