import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { isPublicReview } from './queries.ts'
import type { VoteValue } from './schemas.ts'

type Vote = { rating_id: number; vote: VoteValue; created_at: Date; updated_at: Date }

const VOTE = `
  vote.rating_id, case when vote.liked then 'LIKE' else 'DISLIKE' end as vote, vote.created_at, vote.updated_at`

const LOCATE = statement('ratings.locate').returning<{ authorId: number; workId: number }>(
  'select account_id as "authorId", work_id as "workId" from ratings where id = $1',
)

/**
 * Returns the first three parameters of the statements below: author, work and rating. The author of a rating
 * never changes. Its work changes only in a merge.
 */
async function findReview(db: Database, ratingId: number) {
  const review = await queryRow(db, LOCATE, [ratingId])
  return review && ([review.authorId, review.workId, ratingId] as const)
}

const IS_REVIEW = 'rating.account_id = $1 and rating.work_id = $2 and rating.id = $3'

const IS_VOTE =
  'vote.account_id = $1 and vote.work_id = $2 and vote.rating_id = $3 and vote.voter_id = $4'

/**
 * Saves a vote.
 *
 * Locks the account, then the rating, then the vote, in the same order as every statement that locks them. The voter's
 * row is locked against a concurrent ban, and the review against deletion. The upsert stores the previous vote in
 * `was_liked`, so the delta is exact under any race.
 */
const SAVE = statement('ratings.save').returning<Vote & { is_own: boolean }>(`
  with voter as materialized (
    select id, clock_timestamp()::timestamptz(3) as at
    from account_refs
    where id = $4 and not hidden
    for share
  ), review as materialized (
    select rating.id, rating.account_id, rating.work_id
    from ratings rating
    where ${IS_REVIEW} and ${isPublicReview('rating')} and exists (select from voter)
    for key share of rating
  ), vote as (
    insert into review_votes as vote (account_id, work_id, rating_id, voter_id, liked, created_at, updated_at)
    select review.account_id, review.work_id, review.id, voter.id, $5::boolean, voter.at, voter.at
    from review cross join voter
    where review.account_id <> voter.id
    on conflict (account_id, work_id, voter_id) do update
      set
        was_liked = vote.liked,
        liked = excluded.liked,
        updated_at = case when vote.liked = excluded.liked then vote.updated_at
          else later_time(excluded.updated_at, vote.updated_at) end
    returning *
  ), delta as (
    insert into vote_deltas (account_id, rating_id, likes, dislikes)
    select
      vote.account_id,
      vote.rating_id,
      vote.liked::integer - coalesce(vote.was_liked::integer, 0),
      (not vote.liked)::integer - coalesce((not vote.was_liked)::integer, 0)
    from vote
    where vote.was_liked is distinct from vote.liked
  )
  select review.account_id = $4 as is_own, ${VOTE}
  from review
  left join vote on true`)

/**
 * Creates or replaces the user's vote on a review.
 *
 * @returns `own` if the review is the user's own, undefined if there is no such public review
 */
export async function saveVote(
  db: Database,
  accountId: number,
  ratingId: number,
  value: VoteValue,
): Promise<Vote | 'own' | undefined> {
  const review = await findReview(db, ratingId)
  if (!review) return undefined
  const found = await queryRow(db, SAVE, [...review, accountId, value === 'LIKE'])
  if (!found) return undefined
  const { is_own, ...vote } = found
  return is_own ? 'own' : vote
}

const FIND = statement('ratings.vote_find').returning<Vote>(`
  select ${VOTE}
  from review_votes vote
  join ratings rating on ${IS_REVIEW} and ${isPublicReview('rating')}
  where ${IS_VOTE}`)

export async function findVote(db: Database, accountId: number, ratingId: number) {
  const review = await findReview(db, ratingId)
  return review && queryRow(db, FIND, [...review, accountId])
}

const DELETE = statement('ratings.delete').sql(`
  with deleted as (delete from review_votes vote where ${IS_VOTE} returning vote.*)
  insert into vote_deltas (account_id, rating_id, likes, dislikes)
  select deleted.account_id, deleted.rating_id, -deleted.liked::integer, -(not deleted.liked)::integer
  from deleted
  where not deleted.hidden`)

export async function deleteVote(db: Database, accountId: number, ratingId: number): Promise<void> {
  const review = await findReview(db, ratingId)
  if (review) await queryRows(db, DELETE, [...review, accountId])
}
