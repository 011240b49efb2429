import { tryLockWith, underLock } from '../../db/advisory-locks.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'

/** Numbered in one pass: so few that nobody waits for it. */
export const MAX_NOTES = 1_000

/**
 * Numbers what was noted first of what was committed in the snapshot `$1`. The change of an entry is what a GET of it says now,
 * to those with catalog:full and to those without; the latter learn that an entry has gone only if they could see it
 * before, which any note of it may know.
 * A note that is there but from a transaction yet to come was restored from another server's backup.
 */
const NUMBER = statement('catalog.number').returning<{ notes: number }>(`
  with first as (
    select position, resource_type, resource_id
    from catalog_changes_due
    where pg_visible_in_snapshot(transaction_id, $1::pg_snapshot)
      or transaction_id >= pg_snapshot_xmax(pg_current_snapshot())
    order by position
    limit ${MAX_NOTES}
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
      (select coalesce(max(id), 0) from catalog_changes) + row_number() over (order by outcome.position, audience),
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
 * Takes the lock, and keeps the planner to its indexes: after an import it knows the sizes of no table, and a guess would
 * have the whole catalog read for a thousand entries.
 */
const LOCKED_AND_SETTLED = statement('catalog.locked_and_settled').returning<{ taken: boolean }>(
  tryLockWith('catalogChanges', {
    enable_seqscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
  }),
)

/** Holds while there are changes without a number. */
export const CHANGES_DUE = 'exists (select from catalog_changes_due)'

const SNAPSHOT_OF_DUE = statement('catalog.snapshot_of_due').returning<{ snapshot: string }>(
  `select pg_current_snapshot()::text as snapshot where ${CHANGES_DUE}`,
)

/**
 * Where the database stands now, if there are changes without a number: what was committed before, and what was not.
 *
 * @returns a `pg_snapshot`, for `numberChanges`
 */
export async function findSnapshotOfDue(db: Database): Promise<string | undefined> {
  const [row] = await queryRows(db, SNAPSHOT_OF_DUE, [])
  return row?.snapshot
}

/**
 * Gives numbers to changes that were committed in the snapshot, unless another process is at it. The next pass begins when
 * this one has been committed: who sees a number sees all smaller ones.
 *
 * @returns how many notes were taken, at most `MAX_NOTES`; with that many there may be more
 */
export function numberChanges(db: Database, snapshot: string): Promise<number> {
  return underLock(db, LOCKED_AND_SETTLED, 0, async (trx) => {
    const [numbered] = await queryRows(trx, NUMBER, [snapshot])
    return numbered?.notes ?? 0
  })
}
