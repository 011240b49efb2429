import { queryRows } from '../../db/query.ts'
import type { Database } from '../../db/database.ts'
import { isPublic } from './queries.ts'
import type { VoteValue } from './schemas.ts'

/** A reader's vote on a review, in wire shape but for its times. */
export type Vote = { rating_id: number; vote: VoteValue; created_at: Date; updated_at: Date }

const VOTE = `
  vote.rating_id, case when vote.liked then 'LIKE' else 'DISLIKE' end as vote, vote.created_at, vote.updated_at`

/**
 * Account first, then record, then vote: the order of all who lock them. The voter's own row is held against a ban at
 * the same time, the review against its deletion.
 */
const SAVE = `
  with voter as materialized (
    select id from accounts where id = $1 and banned_at is null for share
  ), review as materialized (
    select rating.id, rating.account_id
    from ratings rating
    where rating.id = $2 and ${isPublic('rating')} and exists (select from voter)
    for key share of rating
  ), vote as (
    insert into review_votes as vote (account_id, rating_id, author_id, liked)
    select $1, review.id, review.account_id, $3::boolean
    from review
    where review.account_id <> $1
    on conflict (account_id, rating_id) do update
      set
        liked = excluded.liked,
        updated_at = case when vote.liked = excluded.liked then vote.updated_at else clock_timestamp() end
    returning *
  )
  select review.account_id = $1 as is_own, ${VOTE}
  from review
  left join vote on true`

/**
 * The reader's vote on a review, or another one instead.
 *
 * @returns `own` for a review of the reader's own, undefined when there is none that everybody may read
 */
export async function saveVote(
  db: Database,
  accountId: number,
  ratingId: number,
  value: VoteValue,
): Promise<Vote | 'own' | undefined> {
  const [found] = await queryRows<Vote & { is_own: boolean }>(db, SAVE, [
    accountId,
    ratingId,
    value === 'LIKE',
  ])
  if (!found) return undefined
  const { is_own, ...vote } = found
  return is_own ? 'own' : vote
}

const FIND = `
  select ${VOTE}
  from review_votes vote
  join ratings rating on rating.id = vote.rating_id
  where vote.account_id = $1 and vote.rating_id = $2 and ${isPublic('rating')}`

/** The reader's vote on a review that everybody may read; undefined when there is none. */
export async function findVote(db: Database, accountId: number, ratingId: number): Promise<Vote | undefined> {
  const [vote] = await queryRows<Vote>(db, FIND, [accountId, ratingId])
  return vote
}

/** Takes a reader's vote back; that there is none is no fault. */
export async function deleteVote(db: Database, accountId: number, ratingId: number): Promise<void> {
  await queryRows(db, 'delete from review_votes where account_id = $1 and rating_id = $2', [
    accountId,
    ratingId,
  ])
}
