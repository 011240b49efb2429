import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'

/**
 * What becomes of what a reader has recorded when the account is banned or goes. Both hold the account's row, which
 * writers of records and votes hold with `for share`, so that none slips by.
 *
 * Whoever locks several rows takes accounts first, then records by id, then votes by record and voter: no two of them
 * wait for each other in a circle. The one who applies the deltas of votes waits for nobody.
 */

const HOLD_RECORDS = statement('accounts.hold_records').sql(
  'select from ratings where account_id = $1 order by id for no key update',
)

/** What a moderator has hidden stays so when a ban ends. */
const TURN_RECORDS = statement('accounts.turn_records').sql(`
  with turned as (
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
  from turned
  where counted <> '{}'`)

const HOLD_VOTES = statement('accounts.hold_votes').sql(
  'select from review_votes where voter_id = $1 order by rating_id for no key update',
)

const TURN_VOTES = statement('accounts.turn_votes').sql(`
  with turned as (
    update review_votes set hidden = $2 where voter_id = $1 and hidden <> $2 returning *
  )
  insert into vote_deltas (account_id, rating_id, likes, dislikes)
  select account_id, rating_id, liked::integer * sign, (not liked)::integer * sign
  from turned cross join (select case when $2 then -1 else 1 end as sign) sign`)

/**
 * Takes what a reader has recorded out of everybody's sight, or brings it back.
 *
 * @param trx holds the account `for no key update`
 */
export async function setUserDataHidden(
  trx: Database,
  accountId: number,
  hidden: boolean,
): Promise<void> {
  // Locks first, each in a statement of its own: those after them find what was written meanwhile.
  await queryRows(trx, HOLD_RECORDS, [accountId])
  await queryRows(trx, TURN_RECORDS, [accountId, hidden])
  await queryRows(trx, HOLD_VOTES, [accountId])
  await queryRows(trx, TURN_VOTES, [accountId, hidden])
}

const LOCK_RECORDS = statement('accounts.lock_records').sql(
  'select from ratings where account_id = $1 order by id for update',
)

const LOCK_VOTES = statement('accounts.lock_votes').sql(`
  select from review_votes where voter_id = $1 or account_id = $1 order by rating_id, voter_id for update`)

const DELETE_VOTES = statement('accounts.delete_votes').sql(`
  with deleted as (delete from review_votes where voter_id = $1 returning *)
  insert into vote_deltas (account_id, rating_id, likes, dislikes)
  select account_id, rating_id, -liked::integer, -(not liked)::integer
  from deleted
  where not hidden`)

const DELETE_RECORDS = statement('accounts.delete_records').sql(`
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
 * Deletes a reader's records, the votes on them and the reader's own, and has the totals follow. There is no history of
 * it: that goes with the account.
 *
 * @param trx holds the account `for update`
 */
export async function deleteUserData(trx: Database, accountId: number): Promise<void> {
  for (const step of [LOCK_RECORDS, LOCK_VOTES, DELETE_VOTES, DELETE_RECORDS])
    await queryRows(trx, step, [accountId])
}

/** Of two at once the second finds what the first has made. The account is held: it may just be leaving. */
const CREATE_DEFAULT_COLLECTION = statement('accounts.create_default_collection').sql(`
  with reader as materialized (
    select id from accounts where id = $1 for key share
  )
  insert into collections (account_id, name, is_default)
  select reader.id, 'Favourites', true from reader
  on conflict (account_id) where is_default do nothing`)

/** Gives a reader their default collection, unless there is one already. */
export const createDefaultCollection = (db: Database, accountId: number) =>
  queryRows(db, CREATE_DEFAULT_COLLECTION, [accountId])
