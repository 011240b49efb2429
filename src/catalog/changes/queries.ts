import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import type { ResourceType } from './schemas.ts'

/** A change in the catalog. */
export type Change = {
  id: number
  resource_type: ResourceType
  resource_id: number
  kind: 'UPSERT' | 'DELETE' | 'MERGE'
  merged_to_id: number | null
  created_at: Date
}

type Row = (Change | { id: null }) & { latest_id: number }

/**
 * Returns one row for each of the first `$2` changes after `$1`, or a single row without a change if the feed ends
 * there. `audience` is inlined as a constant, so that each variant uses its own partial index.
 */
const changesFor = (variant: 'full' | 'without_full', audience: string) =>
  statement(`catalog.changes_${variant}`).returning<Row>(`
  select change.*, feed.latest_id
  from (select coalesce(max(id), 0) as latest_id from catalog_changes) feed
  left join lateral (
    select id, upper(resource_type) as resource_type, resource_id, kind, merged_to_id, created_at
    from catalog_changes
    where id > $1 and ${audience}
    order by id
    limit $2
  ) change on true
  order by change.id`)
const WITH_FULL = changesFor('full', `audience <> 'without_full'`)
const WITHOUT_FULL = changesFor('without_full', `audience <> 'full'`)

/** Returns at most `limit` changes after `since`, oldest first, and the latest id, read in one snapshot. */
export async function listChanges(
  db: Database,
  { since, limit, seesNsfw }: { since: number; limit: number; seesNsfw: boolean },
): Promise<{ changes: Change[]; latestId: number }> {
  const rows = await queryRows(db, seesNsfw ? WITH_FULL : WITHOUT_FULL, [since, limit])
  const changes = rows.flatMap(({ latest_id: _latest, ...change }) =>
    change.id === null ? [] : [change],
  )
  return { changes, latestId: rows[0]?.latest_id ?? 0 }
}
