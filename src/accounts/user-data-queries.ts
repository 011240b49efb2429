import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'

/**
 * Hides or deletes the ratings and votes of a user whose account is banned or deleted. The caller holds a lock on the
 * account's row. Writers of ratings and votes lock that row `for share`, so they must wait. To avoid deadlocks, lock
 * accounts first, then ratings by id, then votes by rating and voter. The worker that applies vote deltas takes no
 * locks that block others.
 */

const LOCK_RATINGS_TO_HIDE = statement('accounts.lock_ratings_to_hide').sql(
  'select from ratings where account_id = $1 order by id for no key update',
)

/** Ratings that a moderator hid stay hidden when a ban ends. */
const HIDE_RATINGS = statement('accounts.hide_ratings').sql(`
  with changed as (
    update ratings rating
    set hidden = $2
    where rating.account_id = $1 and rating.hidden <> $2
      and ($2 or not exists (
        select from takedowns takedown
        where takedown.kind = 'REVIEW' and takedown.subject = rating.id::text and takedown.restored_at is null
      ))
    returning rating.account_id, rating.work_id, rating.kind, rating_counted(rating) as counted
  )
  insert into rating_deltas (account_id, work_id, kind, was, becomes)
  select account_id, work_id, kind, case when $2 then counted else '{}' end, case when $2 then '{}' else counted end
  from changed
  where counted <> '{}'`)

const LOCK_VOTES_TO_HIDE = statement('accounts.lock_votes_to_hide').sql(
  'select from review_votes where voter_id = $1 order by rating_id for no key update',
)

const HIDE_VOTES = statement('accounts.hide_votes').sql(`
  with changed as (
    update review_votes set hidden = $2 where voter_id = $1 and hidden <> $2 returning *
  )
  insert into vote_deltas (account_id, rating_id, likes, dislikes)
  select account_id, rating_id, liked::integer * sign, (not liked)::integer * sign
  from changed cross join (select case when $2 then -1 else 1 end as sign) sign`)

/**
 * Hides a user's ratings and votes, or shows them again.
 *
 * @param trx has locked the account `for no key update`
 */
export async function setUserDataHidden(
  trx: Database,
  accountId: number,
  hidden: boolean,
): Promise<void> {
  // The locks are separate statements, so that the updates see rows committed in the meantime.
  await queryRows(trx, LOCK_RATINGS_TO_HIDE, [accountId])
  await queryRows(trx, HIDE_RATINGS, [accountId, hidden])
  await queryRows(trx, LOCK_VOTES_TO_HIDE, [accountId])
  await queryRows(trx, HIDE_VOTES, [accountId, hidden])
}

const LOCK_RATINGS_TO_DELETE = statement('accounts.lock_ratings_to_delete').sql(
  'select from ratings where account_id = $1 order by id for update',
)

const LOCK_VOTES_TO_DELETE = statement('accounts.lock_votes_to_delete').sql(`
  select from review_votes where voter_id = $1 or account_id = $1 order by rating_id, voter_id for update`)

const DELETE_VOTES = statement('accounts.delete_votes').sql(`
  with deleted as (delete from review_votes where voter_id = $1 returning *)
  insert into vote_deltas (account_id, rating_id, likes, dislikes)
  select account_id, rating_id, -liked::integer, -(not liked)::integer
  from deleted
  where not hidden`)

const DELETE_RATINGS = statement('accounts.delete_ratings').sql(`
  with deleted as (
    delete from ratings rating
    where rating.account_id = $1
    returning rating.account_id, rating.work_id, rating.kind, rating.hidden, rating_counted(rating) as counted
  )
  insert into rating_deltas (account_id, work_id, kind, was, becomes)
  select account_id, work_id, kind, counted, '{}'
  from deleted
  where not hidden and counted <> '{}'`)

/**
 * Deletes a user's ratings, the votes on them and the user's own votes, and adjusts the totals. The history of the
 * ratings is deleted with the account.
 *
 * @param trx has locked the account `for update`
 */
export async function deleteUserData(trx: Database, accountId: number): Promise<void> {
  for (const step of [LOCK_RATINGS_TO_DELETE, LOCK_VOTES_TO_DELETE, DELETE_VOTES, DELETE_RATINGS])
    await queryRows(trx, step, [accountId])
}

/** Concurrent calls create only one collection. The lock prevents a concurrent deletion of the account. */
const CREATE_DEFAULT_COLLECTION = statement('accounts.create_default_collection').sql(`
  with owner as materialized (
    select id from accounts where id = $1 for key share
  )
  insert into collections (account_id, name, is_default)
  select owner.id, 'Favourites', true from owner
  on conflict (account_id) where is_default do nothing`)

/** Creates the default collection of a user unless there already is one. */
export const createDefaultCollection = (db: Database, accountId: number) =>
  queryRows(db, CREATE_DEFAULT_COLLECTION, [accountId])
