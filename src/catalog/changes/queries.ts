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

/** A page of the feed; `isKnown` is true if it starts at 0 or at the id of a stored change. */
export type FeedPage = { changes: Change[]; latestId: number; epoch: string; isKnown: boolean }

type Row = (Change | { id: null }) & { latest_id: number; epoch: string | null; is_known: boolean }

/**
 * Returns one row for each of the first `$2` changes after `$1`, or a single row without a change at the end of the
 * feed. `is_known` is false if `$1` is not the id of a stored change: the change was lost with its epoch, or was
 * superseded long ago. `audience` is inlined as a constant, so that each variant uses its own partial index.
 */
const changesFor = (variant: 'full' | 'without_full', audience: string) =>
  statement(`catalog.changes_${variant}`).returning<Row>(`
  select change.*, feed.latest_id, feed.epoch, feed.is_known
  from (
    select
      (select coalesce(max(id), 0) from catalog_changes) as latest_id,
      epoch,
      $1::bigint = 0 or exists (select from catalog_changes where id = $1) as is_known
    from feed_state
  ) feed
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

/**
 * Returns at most `limit` changes after `since`, oldest first, and the state of the feed, read in one snapshot.
 */
export async function listChanges(
  db: Database,
  { since, limit, seesNsfw }: { since: number; limit: number; seesNsfw: boolean },
): Promise<FeedPage> {
  const rows = await queryRows(db, seesNsfw ? WITH_FULL : WITHOUT_FULL, [since, limit])
  const changes = rows.flatMap(
    ({ latest_id: _latest, epoch: _epoch, is_known: _known, ...change }) =>
      change.id === null ? [] : [change],
  )
  const [feed] = rows
  return {
    changes,
    latestId: feed?.latest_id ?? 0,
    // The service begins an epoch before it listens.
    epoch: feed?.epoch ?? '',
    isKnown: feed?.is_known === true,
  }
}
