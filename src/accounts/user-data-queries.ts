import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'

/**
 * Hides or deletes the ratings and votes of a user whose account is banned or deleted. The caller holds a lock on the
 * row in `accounts`; these functions lock the row in `account_refs`. Writers of ratings and votes lock that row `for
 * share`, so they wait. To avoid deadlocks, lock accounts first, then their references, then ratings by id, then votes
 * by author, rating and voter. The worker that applies vote deltas skips locked rows instead of waiting.
 *
 * Each statement reads the user data of one account (decision 0039).
 */

/** Values by which a row `rating` counts in totals. */
export const RATING_COUNTED = `rating_counted(${[
  'status',
  'status_private',
  'rate_content',
  'rate',
  'rate_character',
  'rate_illustration',
  'rate_pacing',
  'rate_plot',
  'rate_worldview',
  'rate_writing',
  'rate_scenario',
  'rate_direction',
  'rate_music',
  'rate_visual',
  'rate_system',
]
  .map((column) => `rating.${column}`)
  .join(', ')})`

const SET_HIDDEN = statement('accounts.set_hidden').sql(
  'update account_refs set hidden = $2 where id = $1',
)

const LOCK_RATINGS_TO_HIDE = statement('accounts.lock_ratings_to_hide').sql(
  'select from ratings where account_id = $1 order by id for no key update',
)

const LIST_HIDDEN_REVIEWS = statement('accounts.list_hidden_reviews').returning<{ id: number }>(`
  select subject::bigint as id from takedowns where owner_id = $1 and kind = 'REVIEW' and restored_at is null`)

/** Ratings that a moderator hid, `$3`, stay hidden when a ban ends. */
const HIDE_RATINGS = statement('accounts.hide_ratings').sql(`
  with changed as (
    update ratings rating
    set hidden = $2
    where rating.account_id = $1 and rating.hidden <> $2
      and ($2 or rating.id <> all($3::bigint[]))
    returning rating.account_id, rating.work_id, rating.kind, ${RATING_COUNTED} as counted
  )
  insert into rating_deltas (account_id, work_id, kind, was, becomes)
  select account_id, work_id, kind, case when $2 then counted else '{}' end, case when $2 then '{}' else counted end
  from changed
  where counted <> '{}'`)

/** Authors of the reviews on which a user has voted. Their votes are locked and changed one author at a time. */
const LIST_AUTHORS = statement('accounts.list_authors').returning<{ id: number }>(
  'select distinct account_id as id from review_votes where voter_id = $1 order by account_id',
)

const LOCK_VOTES_TO_HIDE = statement('accounts.lock_votes_to_hide').sql(`
  select from review_votes where account_id = $1 and voter_id = $2 order by rating_id for no key update`)

const HIDE_VOTES = statement('accounts.hide_votes').sql(`
  with changed as (
    update review_votes set hidden = $3 where account_id = $1 and voter_id = $2 and hidden <> $3
    returning account_id, rating_id, liked, case when $3 then -1 else 1 end as sign
  )
  insert into vote_deltas (account_id, rating_id, likes, dislikes)
  select account_id, rating_id, liked::integer * sign, (not liked)::integer * sign
  from changed`)

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
  await queryRows(trx, SET_HIDDEN, [accountId, hidden])
  // The locks are separate statements, so that the updates see rows committed in the meantime.
  await queryRows(trx, LOCK_RATINGS_TO_HIDE, [accountId])
  const kept = await queryRows(trx, LIST_HIDDEN_REVIEWS, [accountId])
  await queryRows(trx, HIDE_RATINGS, [accountId, hidden, kept.map(({ id }) => id)])
  const authors = await queryRows(trx, LIST_AUTHORS, [accountId])
  for (const { id } of authors) await queryRows(trx, LOCK_VOTES_TO_HIDE, [id, accountId])
  for (const { id } of authors) await queryRows(trx, HIDE_VOTES, [id, accountId, hidden])
}

const LOCK_TO_DELETE = statement('accounts.lock_to_delete').sql(
  'select from account_refs where id = $1 for update',
)

const LOCK_RATINGS_TO_DELETE = statement('accounts.lock_ratings_to_delete').sql(
  'select from ratings where account_id = $1 order by id for update',
)

const LOCK_VOTES_TO_DELETE = statement('accounts.lock_votes_to_delete').sql(`
  select from review_votes
  where account_id = $1 and (voter_id = $2 or account_id = $2)
  order by rating_id, voter_id
  for update`)

const DELETE_VOTES = statement('accounts.delete_votes').sql(`
  with deleted as (delete from review_votes where account_id = $1 and voter_id = $2 returning *)
  insert into vote_deltas (account_id, rating_id, likes, dislikes)
  select account_id, rating_id, -liked::integer, -(not liked)::integer
  from deleted
  where not hidden`)

const DELETE_RATINGS = statement('accounts.delete_ratings').sql(`
  with deleted as (
    delete from ratings rating
    where rating.account_id = $1
    returning rating.account_id, rating.work_id, rating.kind, rating.hidden, ${RATING_COUNTED} as counted
  )
  insert into rating_deltas (account_id, work_id, kind, was, becomes)
  select account_id, work_id, kind, counted, '{}'
  from deleted
  where not hidden and counted <> '{}'`)

/** Deletes all other user data of the account with it. */
const DELETE_REFERENCE = statement('accounts.delete_reference').sql(
  'delete from account_refs where id = $1',
)

/**
 * Deletes a user's ratings, the votes on them and the user's own votes, and adjusts the totals. The rest of the user's
 * data is deleted with the row in `account_refs`.
 *
 * @param trx has locked the account `for update`
 */
export async function deleteUserData(trx: Database, accountId: number): Promise<void> {
  await queryRows(trx, LOCK_TO_DELETE, [accountId])
  await queryRows(trx, LOCK_RATINGS_TO_DELETE, [accountId])
  const authors = (await queryRows(trx, LIST_AUTHORS, [accountId])).map(({ id }) => id)
  for (const id of [...authors, accountId].toSorted((one, other) => one - other))
    await queryRows(trx, LOCK_VOTES_TO_DELETE, [id, accountId])
  for (const id of authors) await queryRows(trx, DELETE_VOTES, [id, accountId])
  await queryRows(trx, DELETE_RATINGS, [accountId])
  await queryRows(trx, DELETE_REFERENCE, [accountId])
}

/** Concurrent calls create only one collection. The lock prevents a concurrent deletion of the account. */
const CREATE_DEFAULT_COLLECTION = statement('accounts.create_default_collection').sql(`
  with owner as materialized (
    select id from account_refs where id = $1 for key share
  )
  insert into collections (account_id, name, is_default)
  select owner.id, 'Favourites', true from owner
  on conflict (account_id) where is_default do nothing`)

/** Creates the default collection of a user unless there already is one. */
export const createDefaultCollection = (db: Database, accountId: number) =>
  queryRows(db, CREATE_DEFAULT_COLLECTION, [accountId])
