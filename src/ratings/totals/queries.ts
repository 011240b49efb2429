import { queryRows } from '../../db/query.ts'
import type { Database } from '../../db/database.ts'
import { signal } from '../../db/signals.ts'
import type { WorkKind } from '../../catalog/kinds.ts'

/** Any number, the same in every process: whoever gathers what records say holds this advisory lock. */
const LOCK = 7_301_961
/** Changes taken at once: few enough that an author whose review they concern does not notice. */
const BATCH = 2_000

const WAITING = `
  select exists (select from rating_deltas) as ratings, exists (select from vote_deltas) as votes`

/** What has changed and is not gathered yet. */
export async function findPendingDeltas(db: Database): Promise<{ ratings: boolean; votes: boolean }> {
  const [waiting] = await queryRows<{ ratings: boolean; votes: boolean }>(db, WAITING, [])
  return waiting ?? { ratings: false, votes: false }
}

/** A machine that is gone keeps no other from gathering: its transaction ends when nothing comes of it any more. */
const BEGIN = `
  select pg_try_advisory_xact_lock($1::bigint) as mine, set_config('idle_in_transaction_session_timeout', '5s', true)`

/**
 * The oldest changes in the order of their ids: those of one record are in the order in which they were made, so that no
 * amount is ever less than nothing.
 */
const TAKE = `
  with taken as (
    delete from rating_deltas
    where id in (select id from rating_deltas order by id limit ${BATCH})
    returning work_id, kind, was, becomes
  ), sides as (
    select work_id, kind, said.field, said.value, 1 as amount
    from taken cross join jsonb_each_text(becomes) said(field, value)
    union all
    select work_id, kind, said.field, said.value, -1
    from taken cross join jsonb_each_text(was) said(field, value)
  ), changes as (
    select work_id, kind, field, value, sum(amount) as amount
    from sides
    group by work_id, kind, field, value
    having sum(amount) <> 0
  )
  select
    (select count(*) from taken) as taken,
    (select coalesce(json_agg(row_to_json(changes)), '[]')::text from changes) as changes`

const CHANGES =
  'jsonb_to_recordset($1::jsonb) change(work_id bigint, kind text, field text, value text, amount bigint)'

/** Of a work that is gone nothing is counted. (An `insert … on conflict` would be refused for its negative amounts.) */
const COUNT = `
  merge into rating_counts counted
  using (select change.* from ${CHANGES} join works work on work.id = change.work_id) change
  on counted.work_id = change.work_id and counted.field = change.field and counted.value = change.value
  when matched and counted.amount + change.amount = 0 then delete
  when matched then update set amount = counted.amount + change.amount
  when not matched then
    insert (work_id, field, value, amount) values (change.work_id, change.field, change.value, change.amount)`

const COUNT_KINDS = `
  update kind_ratings kind
  set total = kind.total + change.total, sum = kind.sum + change.sum
  from (
    select kind, sum(amount) as total, sum(amount * value::numeric) as sum
    from ${CHANGES}
    where field = 'rate'
    group by kind
  ) change
  where kind.kind = change.kind`

/**
 * `rating` of decision 0013: the mean to two decimals, and how many gave so many whole points (8.5 is under 8). Written as
 * text, so that of a work whose scores are all gone the very same is told as of one that never had any.
 */
const PUBLISH = `
  insert into work_ratings (work_id, kind, rating, revision)
  select
    work.id,
    work.kind,
    format(
      '{"score":%s,"total":%s,"count":{%s}}',
      coalesce(trim_scale(round(rates.sum / nullif(rates.total, 0), 2)), 0),
      rates.total,
      rates.by_points
    )::json,
    (select nextval('rating_revisions'))
  from works work
  cross join lateral (
    select
      sum(of_points.total) as total,
      sum(of_points.sum) as sum,
      string_agg(format('"%s":%s', points, of_points.total), ',' order by points) as by_points
    from generate_series(1, 10) points
    cross join lateral (
      select coalesce(sum(amount), 0) as total, sum(amount * value::numeric) as sum
      from rating_counts
      where work_id = work.id and field = 'rate' and floor(value::numeric) = points
    ) of_points
  ) rates
  where work.id in (select work_id from ${CHANGES} where field = 'rate')
  on conflict (work_id) do update set rating = excluded.rating, revision = excluded.revision`

/**
 * Adds the oldest changes of records to what is told of their works, all of them or none; while another process is at it
 * nothing is done.
 *
 * @returns whether there may be more
 */
export function applyRatingDeltas(db: Database): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const [begun] = await queryRows<{ mine: boolean }>(trx, BEGIN, [LOCK])
    if (!begun?.mine) return false
    const [found] = await queryRows<{ taken: number; changes: string }>(trx, TAKE, [])
    if (!found || found.taken === 0) return false
    for (const statement of [COUNT, COUNT_KINDS, PUBLISH]) await queryRows(trx, statement, [found.changes])
    await signal(trx, 'ratings')
    return found.taken === BATCH
  })
}

/**
 * Waits for no row, so that it never stands in a circle of those who do: votes on a review that somebody is changing wait
 * for the next time. All votes of the batch on one review go together; those on a review that is gone go with it.
 */
const COUNT_VOTES = `
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
  ), counted as (
    update ratings rating
    set like_count = rating.like_count + change.likes, dislike_count = rating.dislike_count + change.dislikes
    from (
      select rating_id, sum(likes) as likes, sum(dislikes) as dislikes from taken group by rating_id
    ) change
    where rating.id = change.rating_id
  )
  select count(*) as taken from taken`

/**
 * Adds the oldest votes to the counts of their reviews; any number of processes may do so at once.
 *
 * @returns whether there may be more
 */
export async function applyVoteDeltas(db: Database): Promise<boolean> {
  const [found] = await queryRows<{ taken: number }>(db, COUNT_VOTES, [])
  return found?.taken === BATCH
}

/** The last revision of what is told of works; 0 when nothing is. */
export async function findLastRevision(db: Database): Promise<number> {
  const [found] = await queryRows<{ revision: number }>(
    db,
    'select coalesce(max(revision), 0) as revision from work_ratings',
    [],
  )
  return found?.revision ?? 0
}

export type ChangedWork = { id: number; kind: WorkKind; revision: number }

/** The works of which something else is told since that revision, in the order in which it was gathered. */
export function listChangedWorks(db: Database, since: number): Promise<ChangedWork[]> {
  return queryRows<ChangedWork>(
    db,
    `select work_id as id, kind, revision from work_ratings where revision > $1 order by revision, work_id`,
    [since],
  )
}

/** What is deleted as fast as it is written leaves its place behind: the embedded database has nobody who clears it away. */
export async function vacuumDeltas(db: Database): Promise<void> {
  await queryRows(db, 'vacuum rating_deltas, vote_deltas', [])
}
