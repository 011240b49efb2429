import { workRef } from '../../catalog/sql-fragments.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { offsetAndLimit, type Page } from '../../http/wire/paging.ts'
import type { WorkRef } from './queries.ts'

/** One change of a record, its time yet to be written as text. */
export type RatingHistoryRow = {
  id: number
  kind: WorkKind
  work_id: number
  work: WorkRef | null
  action: 'CREATED' | 'CHANGED' | 'DELETED'
  client_id: string | null
  fields: Record<string, { from: unknown; to: unknown }>
  changed_at: Date
}

const MATCHING = `
  from rating_changes change
  where change.account_id = $1 and ($2::bigint is null or change.work_id = $2) and ($3::text is null or change.kind = $3)`

const LIST = statement('ratings.history_list').returning<RatingHistoryRow>(`
  select
    change.id, change.kind, change.work_id, ${workRef('change.work_id', 'change.kind')} as work,
    change.action, change.client_id, change.fields, change.changed_at
  from (select change.* ${MATCHING} order by change.id desc offset $4 limit $5) change
  order by change.id desc`)

const COUNT = statement('ratings.history_count').returning<{ total: number }>(
  `select count(*) as total ${MATCHING}`,
)

/**
 * One page of what a reader has changed, the last first.
 *
 * @param work whose record it is, or undefined for all
 */
export async function listRatingHistory(
  db: Database,
  accountId: number,
  work: { kind: WorkKind; workId: number } | undefined,
  page: Page,
): Promise<{ entries: RatingHistoryRow[]; total: number }> {
  const filter = [accountId, work?.workId ?? null, work?.kind ?? null] as const
  const { offset, limit } = offsetAndLimit(page)
  const entries = await queryRows(db, LIST, [...filter, offset, limit])
  const [counted] = await queryRows(db, COUNT, filter)
  return { entries, total: counted?.total ?? 0 }
}
