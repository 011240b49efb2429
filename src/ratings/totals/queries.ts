import { tryLockWith, underLock } from '../../db/advisory-locks.ts'
import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import type { DueSteps } from '../../db/upkeep/due-tasks.ts'
import { signal } from '../../db/upkeep/signals.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import { WHOLE_POINTS, wholePointsSql } from '../../catalog/whole-points.ts'

/**
 * Maximum number of deltas per transaction. Small enough that an author who edits an affected review does not notice
 * the wait.
 */
const BATCH_SIZE = 2_000

/** The timeout ends the transaction of a machine that has disappeared, so that it does not block other processes. */
const TRY_LOCK = statement('ratings.try_lock').returning<{ taken: boolean }>(
  tryLockWith('ratingTotals', { idle_in_transaction_session_timeout: '5s' }),
)

/**
 * Takes the oldest deltas. They pass through the process, because the totals may be on a different machine (decision
 * 0039).
 */
const TAKE_DELTAS = statement('ratings.take_deltas').returning<{ taken: number; deltas: string }>(`
  with taken as (
    delete from rating_deltas
    where id in (select id from rating_deltas order by id limit ${BATCH_SIZE})
    returning id, account_id, work_id, kind, was, becomes
  )
  select count(*) as taken, coalesce(json_agg(row_to_json(taken)), '[]')::text as deltas from taken`)

/**
 * Sums deltas by value. Deltas of one rating are taken in the order in which they were written, so no amount falls
 * below zero. `likes` lists the ratings that became a like or ceased to be one. Reviews that were added and removed
 * count even if their number stays the same, because pages show others.
 */
const SUM_DELTAS = statement('ratings.sum_deltas').returning<{
  changes: string
  likes: string | null
}>(`
  with taken as materialized (
    select * from jsonb_to_recordset($1::jsonb)
      delta (id bigint, account_id bigint, work_id bigint, kind text, was jsonb, becomes jsonb)
  ), sides as (
    select work_id, kind, counted.field, counted.value, 1 as amount
    from taken cross join jsonb_each_text(becomes) counted(field, value)
    where counted.field <> 'content' or not was ? 'content'
    union all
    select work_id, kind, counted.field, counted.value, -1
    from taken cross join jsonb_each_text(was) counted(field, value)
    where counted.field <> 'content' or not becomes ? 'content'
  ), changes as (
    select work_id, kind, field, value, sum(amount) as amount
    from sides
    group by work_id, kind, field, value
    having sum(amount) <> 0 or field = 'content'
  )
  select
    (select coalesce(json_agg(row_to_json(changes)), '[]')::text from changes) as changes,
    (
      select json_agg(json_build_object('account_id', account_id, 'work_id', work_id, 'liked', is_liked(becomes)) order by id)::text
      from taken
      where is_liked(was) <> is_liked(becomes)
    ) as likes`)

/** Queues changed likes for the computation of similar works. */
const NOTE_LIKES = statement('ratings.note_likes').sql(`
  insert into like_notes (account_id, work_id, liked)
  select account_id, work_id, liked
  from jsonb_to_recordset($1::jsonb) note (account_id bigint, work_id bigint, liked boolean)`)

const CHANGES =
  'jsonb_to_recordset($1::jsonb) change(work_id bigint, kind text, field text, value text, amount bigint)'

/** Drops changes to deleted works. An `insert … on conflict` would fail because of their negative amounts. */
const APPLY_TO_COUNTS = statement('ratings.apply_to_counts').sql(`
  merge into rating_counts counted
  using (select change.* from ${CHANGES} join works work on work.id = change.work_id) change
  on counted.work_id = change.work_id and counted.field = change.field and counted.value = change.value
  when matched and counted.amount + change.amount = 0 then delete
  when matched then update set amount = counted.amount + change.amount
  when not matched and change.amount <> 0 then
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
 * Publishes what depends on a work's counts. The counts are read once for two results:
 * - `rating` of decision 0013: the mean to two decimals, and the number of scores per whole point. It is written as
 *   text, so that a work whose scores were all deleted has the same value as a work that never had any.
 * - The number of users, the mean score and the number of scores, by which lists are ordered. If none has changed, the
 *   row keeps its revision.
 */
const PUBLISH = statement('ratings.publish').sql(`
  with changed as materialized (
    select work_id, bool_or(field in ('rate', 'content')) as is_shown
    from ${CHANGES}
    where field in ('status', 'rate', 'content')
    group by work_id
  ), counted as materialized (
    select
      work.id,
      work.kind,
      changed.is_shown,
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
      -- The offset makes PostgreSQL convert each score once, not once per column above.
      select amount, score, ${wholePointsSql('score')} as points
      from (
        select amount, case field when 'rate' then value::numeric end as score
        from rating_counts
        where work_id = work.id and field in ('status', 'rate')
        offset 0
      ) numbers
      offset 0
    ) said on true
    group by work.id, changed.is_shown
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
    where is_shown
    on conflict (work_id) do update set rating = excluded.rating, revision = excluded.revision
  )
  insert into work_totals as stored (work_id, kind, readers, score, scores, revision)
  select id, kind, readers, score, total, (select nextval('rating_revisions'))
  from counted
  on conflict (work_id) do update
    set readers = excluded.readers, score = excluded.score, scores = excluded.scores, revision = excluded.revision
    where (stored.readers, stored.score, stored.scores)
      is distinct from (excluded.readers, excluded.score, excluded.scores)`)

/**
 * Applies one batch of rating deltas in one transaction. Does nothing while another process applies deltas.
 *
 * @returns whether more deltas may be pending
 */
export function applyRatingDeltas(db: Database): Promise<boolean> {
  return underLock(db, TRY_LOCK, false, async (trx) => {
    const deltas = await queryRow(trx, TAKE_DELTAS, [])
    if (!deltas || deltas.taken === 0) return false
    const sums = await queryRow(trx, SUM_DELTAS, [deltas.deltas])
    if (!sums) return false
    if (sums.likes !== null) await queryRows(trx, NOTE_LIKES, [sums.likes])
    for (const apply of [APPLY_TO_COUNTS, APPLY_TO_KINDS, PUBLISH])
      await queryRows(trx, apply, [sums.changes])
    await signal(trx, 'ratings')
    return deltas.taken === BATCH_SIZE
  })
}

const OLDEST_VOTE_DELTAS = statement('ratings.oldest_vote_deltas').returning<{
  author: number
  ids: number[]
}>(`
  select account_id as author, array_agg(id) as ids
  from (select account_id, id from vote_deltas order by id limit ${BATCH_SIZE}) oldest
  group by account_id`)

/**
 * Applies the vote deltas `$2` on reviews of the author `$1`, and drops those on deleted reviews. All deltas of one
 * review are applied together. Locked rows are skipped, so this statement cannot deadlock; deltas of a review that is
 * being changed stay for the next batch.
 */
const APPLY_VOTE_DELTAS = statement('ratings.apply_vote_deltas').returning<{ taken: number }>(`
  with oldest as materialized (
    select id, rating_id from vote_deltas where account_id = $1 and id = any($2::bigint[])
  ), free as materialized (
    select id from ratings
    where account_id = $1 and id in (select rating_id from oldest)
    order by id
    for no key update skip locked
  ), taken as (
    delete from vote_deltas delta
    using oldest
    where delta.account_id = $1 and delta.id = oldest.id
      and (
        oldest.rating_id in (select id from free)
        or not exists (
          select from ratings rating where rating.account_id = $1 and rating.id = oldest.rating_id
        )
      )
    returning delta.rating_id, delta.likes, delta.dislikes
  ), applied as (
    update ratings rating
    set like_count = rating.like_count + change.likes, dislike_count = rating.dislike_count + change.dislikes
    from (
      select rating_id, sum(likes) as likes, sum(dislikes) as dislikes from taken group by rating_id
    ) change
    where rating.account_id = $1 and rating.id = change.rating_id
  )
  select count(*) as taken from taken`)

/**
 * Applies one batch of vote deltas. Processes may do this concurrently.
 *
 * @returns whether more deltas may be pending
 */
async function applyVoteDeltas(db: Database): Promise<boolean> {
  let taken = 0
  for (const { author, ids } of await queryRows(db, OLDEST_VOTE_DELTAS, []))
    taken += (await queryRow(db, APPLY_VOTE_DELTAS, [author, ids]))?.taken ?? 0
  return taken === BATCH_SIZE
}

export const DELTA_STEPS: DueSteps = {
  ratings: { queues: ['rating_deltas'], run: applyRatingDeltas },
  votes: { queues: ['vote_deltas'], run: applyVoteDeltas },
}

const LAST_REVISION = statement('ratings.last_revision').returning<{ revision: number }>(
  'select coalesce(max(revision), 0) as revision from work_ratings',
)

/** Returns the latest revision of the published ratings, or 0. */
export async function findLastRevision(db: Database): Promise<number> {
  return (await queryRow(db, LAST_REVISION, []))?.revision ?? 0
}

export type ChangedWork = { id: number; kind: WorkKind; revision: number }

const LIST_CHANGED = statement('ratings.list_changed').returning<ChangedWork>(
  'select work_id as id, kind, revision from work_ratings where revision > $1 order by revision, work_id',
)

/** Lists the works whose published rating has changed since a revision, in the order of the changes. */
export const listChangedWorks = (db: Database, since: number) =>
  queryRows(db, LIST_CHANGED, [since])
