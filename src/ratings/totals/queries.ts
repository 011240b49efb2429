import { tryLockWith, underLock } from '../../db/advisory-locks.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import type { DueSteps } from '../../db/upkeep/due-tasks.ts'
import { signal } from '../../db/upkeep/signals.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import { WHOLE_POINTS, wholePointsSql } from '../../catalog/whole-points.ts'

/** Deltas taken at once: few enough that an author whose review they concern does not notice. */
const BATCH = 2_000

/** A machine that is gone holds up no other: its transaction ends when nothing is heard of it any more. */
const TRY_LOCK = statement('ratings.try_lock').returning<{ taken: boolean }>(
  tryLockWith('ratingTotals', { idle_in_transaction_session_timeout: '5s' }),
)

/**
 * The oldest deltas in the order of their ids, aggregated by value: those of one record are in the order in which they
 * were made, so that no amount is ever below zero.
 */
const TAKE_DELTAS = statement('ratings.take_deltas').returning<{ taken: number; changes: string }>(`
  with taken as (
    delete from rating_deltas
    where id in (select id from rating_deltas order by id limit ${BATCH})
    returning id, account_id, work_id, kind, was, becomes
  ), likes as (
    -- For similar works, which count who likes what.
    insert into like_notes (account_id, work_id, liked)
    select account_id, work_id, is_liked(becomes)
    from taken
    where is_liked(was) <> is_liked(becomes)
    order by id
  ), sides as (
    select work_id, kind, counted.field, counted.value, 1 as amount
    from taken cross join jsonb_each_text(becomes) counted(field, value)
    union all
    select work_id, kind, counted.field, counted.value, -1
    from taken cross join jsonb_each_text(was) counted(field, value)
  ), changes as (
    select work_id, kind, field, value, sum(amount) as amount
    from sides
    group by work_id, kind, field, value
    having sum(amount) <> 0
  )
  select
    (select count(*) from taken) as taken,
    (select coalesce(json_agg(row_to_json(changes)), '[]')::text from changes) as changes`)

const CHANGES =
  'jsonb_to_recordset($1::jsonb) change(work_id bigint, kind text, field text, value text, amount bigint)'

/** Those of a work that is gone are dropped. (An `insert … on conflict` would be refused for its negative amounts.) */
const APPLY_TO_COUNTS = statement('ratings.apply_to_counts').sql(`
  merge into rating_counts counted
  using (select change.* from ${CHANGES} join works work on work.id = change.work_id) change
  on counted.work_id = change.work_id and counted.field = change.field and counted.value = change.value
  when matched and counted.amount + change.amount = 0 then delete
  when matched then update set amount = counted.amount + change.amount
  when not matched then
    insert (work_id, field, value, amount) values (change.work_id, change.field, change.value, change.amount)`)

const APPLY_TO_KINDS = statement('ratings.apply_to_kinds').sql(`
  update kind_ratings kind
  set total = kind.total + change.total, sum = kind.sum + change.sum
  from (
    select kind, sum(amount) as total, sum(amount * value::numeric) as sum
    from ${CHANGES}
    where field = 'rate'
    group by kind
  ) change
  where kind.kind = change.kind`)

/**
 * Publishes what depends on the counts of a work, which are read once for both parts:
 *
 * - `rating` of decision 0013: the mean to two decimals, and the number of scores by whole points. It is written as
 *   text, so that a work whose scores are all deleted equals one that never had any.
 * - The readers and the score by which lists are ordered. If neither has changed, the row keeps its revision.
 */
const PUBLISH = statement('ratings.publish').sql(`
  with changed as materialized (
    select work_id, bool_or(field = 'rate') as is_rated
    from ${CHANGES}
    where field in ('status', 'rate')
    group by work_id
  ), counted as materialized (
    select
      work.id,
      work.kind,
      changed.is_rated,
      coalesce(sum(said.amount) filter (where said.score is null), 0) as readers,
      coalesce(sum(said.amount) filter (where said.score is not null), 0) as total,
      coalesce(
        trim_scale(round(
          sum(said.amount * said.score) / nullif(sum(said.amount) filter (where said.score is not null), 0), 2
        )),
        0
      ) as score,
      ${WHOLE_POINTS.map((points) => `coalesce(sum(said.amount) filter (where said.points = ${points}), 0) as of_${points}`).join(', ')}
    from changed
    join works work on work.id = changed.work_id
    left join lateral (
      -- Read as a number once, not once for each column above: hence the offset.
      select amount, score, ${wholePointsSql('score')} as points
      from (
        select amount, case field when 'rate' then value::numeric end as score
        from rating_counts
        where work_id = work.id and field in ('status', 'rate')
        offset 0
      ) numbers
      offset 0
    ) said on true
    group by work.id, changed.is_rated
  ), published as (
    insert into work_ratings (work_id, kind, rating, revision)
    select
      id,
      kind,
      concat(
        '{"score":', score, ',"total":', total,
        ',"count":{', ${WHOLE_POINTS.map((points) => `'"${points}":', of_${points}`).join(`, ',', `)}, '}}'
      )::json,
      (select nextval('rating_revisions'))
    from counted
    where is_rated
    on conflict (work_id) do update set rating = excluded.rating, revision = excluded.revision
  )
  insert into work_totals as stored (work_id, kind, readers, score, revision)
  select id, kind, readers, score, (select nextval('rating_revisions'))
  from counted
  on conflict (work_id) do update
    set readers = excluded.readers, score = excluded.score, revision = excluded.revision
    where (stored.readers, stored.score) is distinct from (excluded.readers, excluded.score)`)

/**
 * Applies the oldest deltas of records to the totals of their works, all of them or none; nothing while another process
 * does so.
 *
 * @returns whether there may be more
 */
export function applyRatingDeltas(db: Database): Promise<boolean> {
  return underLock(db, TRY_LOCK, false, async (trx) => {
    const [deltas] = await queryRows(trx, TAKE_DELTAS, [])
    if (!deltas || deltas.taken === 0) return false
    for (const application of [APPLY_TO_COUNTS, APPLY_TO_KINDS, PUBLISH])
      await queryRows(trx, application, [deltas.changes])
    await signal(trx, 'ratings')
    return deltas.taken === BATCH
  })
}

/**
 * Waits for no row, so that it is never part of a deadlock: votes on a review that is being changed stay for the next
 * time. All votes of the batch on one review go together; those on a review that is gone go with it.
 */
const APPLY_VOTE_DELTAS = statement('ratings.apply_vote_deltas').returning<{ taken: number }>(`
  with oldest as materialized (
    select id, rating_id from vote_deltas order by id limit ${BATCH}
  ), free as materialized (
    select id from ratings
    where id in (select rating_id from oldest)
    order by id
    for no key update skip locked
  ), taken as (
    delete from vote_deltas delta
    using oldest
    where delta.id = oldest.id
      and (
        oldest.rating_id in (select id from free)
        or not exists (select from ratings rating where rating.id = oldest.rating_id)
      )
    returning delta.rating_id, delta.likes, delta.dislikes
  ), applied as (
    update ratings rating
    set like_count = rating.like_count + change.likes, dislike_count = rating.dislike_count + change.dislikes
    from (
      select rating_id, sum(likes) as likes, sum(dislikes) as dislikes from taken group by rating_id
    ) change
    where rating.id = change.rating_id
  )
  select count(*) as taken from taken`)

/**
 * Adds the oldest votes to the counts of their reviews; any number of processes may do so at once.
 *
 * @returns whether there may be more
 */
async function applyVoteDeltas(db: Database): Promise<boolean> {
  const [found] = await queryRows(db, APPLY_VOTE_DELTAS, [])
  return found?.taken === BATCH
}

/** Both kinds of deltas. */
export const DELTA_STEPS: DueSteps = {
  ratings: { isDue: 'exists (select from rating_deltas)', run: applyRatingDeltas },
  votes: { isDue: 'exists (select from vote_deltas)', run: applyVoteDeltas },
}

const LAST_REVISION = statement('ratings.last_revision').returning<{ revision: number }>(
  'select coalesce(max(revision), 0) as revision from work_ratings',
)

/** The last revision of the published ratings; 0 when there are none. */
export async function findLastRevision(db: Database): Promise<number> {
  const [found] = await queryRows(db, LAST_REVISION, [])
  return found?.revision ?? 0
}

export type ChangedWork = { id: number; kind: WorkKind; revision: number }

const LIST_CHANGED = statement('ratings.list_changed').returning<ChangedWork>(
  'select work_id as id, kind, revision from work_ratings where revision > $1 order by revision, work_id',
)

/** The works whose published rating has changed since that revision, in the order in which it did. */
export function listChangedWorks(db: Database, since: number): Promise<ChangedWork[]> {
  return queryRows(db, LIST_CHANGED, [since])
}
