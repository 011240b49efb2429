import type { Logger } from 'pino'
import { tryLockWith, underLock } from '../../db/advisory-locks.ts'
import {
  type DueSteps,
  type DueTask,
  isAbove,
  runDueSteps,
  startDueSteps,
} from '../../db/upkeep/due-tasks.ts'
import { inLongTransaction } from '../../db/server/long-transaction.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { individualsInFacetsSql, refreshAllListings, refreshListings } from './refresh-queries.ts'

/** Batch sizes, small enough that an import does not wait long for the lock. */
const BATCH_SIZE = 500
const SUM_BATCH_SIZE = 200

const positionOf = (name: 'changes' | 'totals') =>
  `select position from listing_positions where name = '${name}'`

/** Keeps the pending list of the facet index short, because every list query scans it. */
const TRY_LOCK = statement('browse.try_lock').returning<{ taken: boolean }>(
  tryLockWith('listings', { gin_pending_list_limit: '256kB' }),
)

const NEXT_CHANGES = statement('browse.next_changes').returning<{ last: number; amount: number }>(`
  select coalesce(max(id), 0) as last, count(*) as amount
  from (
    select id from catalog_changes
    where id > (${positionOf('changes')})
    order by id
    limit ${BATCH_SIZE}
  ) change`)

const SAVE_POSITION = statement('browse.move').sql(
  'update listing_positions set position = $2 where name = $1',
)

/**
 * Refreshes the listings of the entries in the next batch of the change feed.
 *
 * @returns the number of changes; 0 if none are left or another process holds the lock
 */
export function followChanges(db: Database): Promise<number> {
  return underLock(db, TRY_LOCK, 0, async (trx) => {
    const [next] = await queryRows(trx, NEXT_CHANGES, [])
    if (!next || next.amount === 0) return 0
    await refreshListings(
      trx,
      `select resource_type, resource_id from catalog_changes
       where id > (${positionOf('changes')}) and id <= $1`,
      [next.last],
    )
    await queryRows(trx, SAVE_POSITION, ['changes', next.last])
    return next.amount
  })
}

/** Selects all works of a revision together, because the stored position is a revision. */
const TAKE_TOTALS = statement('browse.take_totals').returning<{ last: number; amount: number }>(`
  with next as materialized (
    select work_id, kind, readers, score, scores, revision
    from work_totals
    where revision > (${positionOf('totals')})
    order by revision
    fetch first ${BATCH_SIZE} rows with ties
  ), updated as (
    update listings listing
    set score = next.score, scores = next.scores, readers = next.readers, readers_full = next.readers
    from next
    where listing.kind = next.kind
      and listing.id = next.work_id
      and (listing.score, listing.scores, listing.readers) is distinct from (next.score, next.scores, next.readers)
    returning listing.facets
  ), noted as (
    insert into listing_sums_due (kind, id)
    select distinct individual.kind, individual.id
    from updated cross join lateral (${individualsInFacetsSql('updated.facets')}) individual
    on conflict do nothing
  )
  select coalesce(max(revision), 0) as last, count(*) as amount from next`)

/**
 * Updates the numbers of users and the scores of works from their totals.
 *
 * @returns the number of works
 */
function followTotals(db: Database): Promise<number> {
  return underLock(db, TRY_LOCK, 0, async (trx) => {
    const [next] = await queryRows(trx, TAKE_TOTALS, [])
    if (!next || next.amount === 0) return 0
    await queryRows(trx, SAVE_POSITION, ['totals', next.last])
    return next.amount
  })
}

const SUM_READERS = statement('browse.sum_readers').returning<{ amount: number }>(`
  with next as materialized (
    select kind, id from listing_sums_due order by kind, id limit ${SUM_BATCH_SIZE}
  ), taken as (
    delete from listing_sums_due due using next where due.kind = next.kind and due.id = next.id
  ), sums as (
    select
      next.kind,
      next.id,
      coalesce(sum(work.readers) filter (where not work.nsfw), 0) as readers,
      coalesce(sum(work.readers), 0) as readers_full,
      coalesce(sum(work.source_votes) filter (where not work.nsfw), 0) as source_votes,
      coalesce(sum(work.source_votes), 0) as source_votes_full
    from next
    left join lateral (
      select distinct work_kind, work_id from credited_works where kind = next.kind and id = next.id
    ) credited on true
    left join listings work on work.kind = credited.work_kind and work.id = credited.work_id
    group by next.kind, next.id
  ), updated as (
    update listings listing
    set
      readers = sums.readers, readers_full = sums.readers_full,
      source_votes = sums.source_votes, source_votes_full = sums.source_votes_full
    from sums
    where listing.kind = sums.kind
      and listing.id = sums.id
      and (listing.readers, listing.readers_full, listing.source_votes, listing.source_votes_full)
        is distinct from (sums.readers, sums.readers_full, sums.source_votes, sums.source_votes_full)
  )
  select count(*) as amount from next`)

/**
 * Updates the numbers of users and votes of people, producers and characters whose works have changed.
 *
 * @returns the number of entries
 */
function followSums(db: Database): Promise<number> {
  return underLock(db, TRY_LOCK, 0, async (trx) => {
    const [summed] = await queryRows(trx, SUM_READERS, [])
    return summed?.amount ?? 0
  })
}

/** Steps that update listings. The first two enqueue entries, and the last one sums their numbers of users. */
export const LISTING_STEPS: DueSteps<'changes' | 'totals' | 'sums'> = {
  changes: {
    isDue: isAbove('select max(id) from catalog_changes', positionOf('changes')),
    run: followChanges,
  },
  totals: {
    isDue: isAbove('select max(revision) from work_totals', positionOf('totals')),
    run: followTotals,
  },
  sums: { isDue: 'exists (select from listing_sums_due)', run: followSums },
}

const FOLLOW_LAST = statement('browse.follow_last').sql(`
  update listing_positions
  set position = case name
    when 'changes' then (select coalesce(max(id), 0) from catalog_changes)
    else (select coalesce(max(revision), 0) from work_totals)
  end`)

/** Writes the listings of all entries in one transaction, as after restoring a backup. */
export async function rebuildAllListings(db: Database): Promise<void> {
  await inLongTransaction(db, Infinity, async (trx) => {
    await refreshAllListings(trx)
    await queryRows(trx, FOLLOW_LAST, [])
  })
  await runDueSteps(db, { sums: LISTING_STEPS.sums })
}

/**
 * Starts the task that updates listings after changes other than imports: edits, entries older than the listings,
 * numbers of users, and scores. Several processes may run this task; they take turns.
 */
export const startListings = (db: Database, log: Logger): DueTask =>
  startDueSteps(
    db,
    LISTING_STEPS,
    (err) => log.warn({ err }, 'Could not update listings; will retry'),
    { name: 'listings' },
  )
