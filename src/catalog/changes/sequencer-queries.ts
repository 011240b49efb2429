import { tryLockWith, underLock } from '../../db/advisory-locks.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { beginEpochIfMoved } from './feed-epoch.ts'

/** Maximum number of changes numbered in one pass. Small enough that a pass blocks other statements only briefly. */
export const MAX_CHANGES_PER_PASS = 1_000

/**
 * Assigns ids to the oldest pending changes committed in the snapshot `$1`.
 *
 * The kind of a change depends on what a GET of the entry returns now, with and without catalog:full. Callers without
 * catalog:full receive a DELETE only if they could see the entry before. Any pending change of the entry may record
 * that they could.
 *
 * A pending change whose transaction id lies in the future was restored from a backup of another server.
 */
const NUMBER_CHANGES = statement('catalog.number').returning<{ notes: number }>(`
  with first as (
    select position, resource_type, resource_id
    from catalog_changes_due
    where pg_visible_in_snapshot(transaction_id, $1::pg_snapshot)
      or transaction_id >= pg_snapshot_xmax(pg_current_snapshot())
    order by position
    limit ${MAX_CHANGES_PER_PASS}
  ),
  taken as (
    delete from catalog_changes_due due using first where due.position = first.position returning due.position
  ),
  touched as (
    select resource_type, resource_id, min(due.position) as position, bool_or(due.was_shown) as was_shown
    from (select distinct resource_type, resource_id from first) entry
    join catalog_changes_due due using (resource_type, resource_id)
    group by resource_type, resource_id
  ),
  outcome as (
    select
      touched.*,
      case
        when merged.id is not null then 'MERGE'
        when entry.resource_id is not null then 'UPSERT'
        else 'DELETE'
      end as kind,
      merged.merged_into,
      coalesce(target.nsfw, false) or coalesce(entry.nsfw, not touched.was_shown, false) as hidden
    from touched
    left join merged_entries merged on merged.kind = touched.resource_type and merged.id = touched.resource_id
    left join lateral (
      select entry.resource_id, entry.nsfw
      from catalog_entries entry
      where entry.resource_type = touched.resource_type and entry.resource_id = touched.resource_id
      -- looked up one by one; else the whole catalog is read each time
      offset 0
    ) entry on true
    left join works target on target.kind = merged.kind and target.id = merged.merged_into
  ),
  numbered as (
    insert into catalog_changes (id, resource_type, resource_id, kind, merged_to_id, audience)
    select
      greatest((select coalesce(max(id), 0) from catalog_changes), (select id_floor from feed_state)) + row_number() over (order by outcome.position, audience),
      outcome.resource_type,
      outcome.resource_id,
      change.kind,
      change.merged_to_id,
      change.audience
    from outcome
    cross join lateral (
      select outcome.kind, outcome.merged_into, case when outcome.hidden then 'full' else 'everybody' end
      union all
      select 'DELETE', null, 'without_full' where outcome.hidden and outcome.was_shown and outcome.kind <> 'DELETE'
    ) change (kind, merged_to_id, audience)
  )
  select count(*) as notes from taken`)

/**
 * Takes the lock and restricts the planner to indexes. After an import, table statistics are missing, and the
 * planner would scan the whole catalog to find a thousand entries.
 */
const LOCK_WITH_INDEX_SCANS = statement('catalog.locked_and_settled').returning<{ taken: boolean }>(
  tryLockWith('catalogChanges', {
    enable_seqscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
  }),
)

/** SQL condition: changes without an id exist. */
export const HAS_PENDING_CHANGES = 'exists (select from catalog_changes_due)'

const SNAPSHOT_IF_PENDING = statement('catalog.snapshot_of_due').returning<{ snapshot: string }>(
  `select pg_current_snapshot()::text as snapshot where ${HAS_PENDING_CHANGES}`,
)

/**
 * Returns the database's current snapshot if changes are pending.
 *
 * @returns a `pg_snapshot`, for `numberChanges`
 */
export async function snapshotIfPending(db: Database): Promise<string | undefined> {
  const [row] = await queryRows(db, SNAPSHOT_IF_PENDING, [])
  return row?.snapshot
}

/**
 * Assigns ids to pending changes committed in the snapshot, unless another process holds the lock. The next pass
 * starts after this one has committed, so a reader that sees an id also sees all smaller ones.
 *
 * @returns number of pending changes processed, at most `MAX_CHANGES_PER_PASS`; if it reaches that maximum, more
 *   may be pending
 */
export function numberChanges(db: Database, snapshot: string): Promise<number> {
  return underLock(db, LOCK_WITH_INDEX_SCANS, 0, async (trx) => {
    await beginEpochIfMoved(trx)
    const [numbered] = await queryRows(trx, NUMBER_CHANGES, [snapshot])
    return numbered?.notes ?? 0
  })
}
