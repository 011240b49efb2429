import { type EntrySummary, entrySummarySql } from '../../../browse/summary.ts'
import { queryRows } from '../../../db/query.ts'
import { statement } from '../../../db/statement.ts'
import type { Database } from '../../../db/database.ts'

const PLANNED = statement('ratings.planned').returning<{ entry: EntrySummary | null }>(`
  select ${entrySummarySql('planned', '$2::boolean')} as entry
  from (
    select rating.kind, rating.work_id as id, rating.updated_at
    from ratings rating
    join shown_works work on work.id = rating.work_id and work.kind = rating.kind
    where rating.account_id = $1 and rating.status = 'PLAN' and ($2 or not work.nsfw)
    order by rating.updated_at desc, rating.work_id desc
    limit $3
  ) planned
  order by planned.updated_at desc, planned.id desc`)

/** Lists the works that a user plans to read or play, most recently updated first. */
export async function listPlannedWorks(
  db: Database,
  accountId: number,
  seesNsfw: boolean,
  limit: number,
): Promise<EntrySummary[]> {
  const rows = await queryRows(db, PLANNED, [accountId, seesNsfw, limit])
  return rows.flatMap(({ entry }) => entry ?? [])
}
