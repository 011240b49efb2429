import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import type { ResourceType } from './schemas.ts'

/** A change of what is in the catalog, as the feed has it. */
export type Change = {
  id: number
  resource_type: ResourceType
  resource_id: number
  kind: 'UPSERT' | 'DELETE' | 'MERGE'
  merged_to_id: number | null
  created_at: Date
}

/** A part of the feed and where the whole ends, as of one moment. */
export type ChangesRead = { changes: Change[]; latestId: number }

type Row = (Change | { id: null }) & { latest_id: number }

/**
 * One row for each change after `$1`, `$2` of them, or a row without one. `audience` is a constant condition, so that
 * each of the two has its index.
 */
const changesFor = (looker: 'full' | 'without_full', audience: string) =>
  statement(`catalog.changes_${looker}`).returning<Row>(`
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

/** The changes after `since`, oldest first, at most `limit`. */
export async function listChanges(
  db: Database,
  { since, limit, seesNsfw }: { since: number; limit: number; seesNsfw: boolean },
): Promise<ChangesRead> {
  const rows = await queryRows(db, seesNsfw ? WITH_FULL : WITHOUT_FULL, [since, limit])
  const changes = rows.flatMap(({ latest_id: _latest, ...change }) =>
    change.id === null ? [] : [change],
  )
  return { changes, latestId: rows[0]?.latest_id ?? 0 }
}
