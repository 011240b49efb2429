import { workRefRowsSql } from '../../catalog/sql-fragments.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { isPublicReview, listAuthors, type Author, type UserReview } from './queries.ts'

export const PUBLIC_REVIEW_ORDERS = ['newest', 'top'] as const
export type PublicReviewOrder = (typeof PUBLIC_REVIEW_ORDERS)[number]

/** Position in a list of reviews: the sorted value of the last review, and its id. */
export type ReviewPosition = { value: number; id: number }

export type PublicReview = UserReview & { author: Author }

/** Builds the list of reviews of all works after a position, which `$2` and `$3` name. */
const listSql = (value: string, parameter: string) => `
  select review.*, work.reference as work
  from (
    select
      review.id, review.account_id, review.kind, review.work_id, review.status, review.rate, review.rate_content,
      review.is_spoiler, review.like_count, review.dislike_count, review.created_at, review.updated_at
    from ratings review
    join shown_works shown on shown.id = review.work_id
    where ${isPublicReview('review')} and (not shown.nsfw or $1::boolean) and (${value}, review.id) < (${parameter}, $3::bigint)
    order by ${value} desc, review.id desc
    limit $4
  ) review
  left join lateral (${workRefRowsSql('review.work_id', 'review.kind')}) work on true
  order by ${value} desc, review.id desc`

type Row = UserReview & { account_id: number }

const BY_TIME = statement('ratings.latest_reviews').returning<Row>(
  listSql('review.created_at', '$2::timestamptz'),
)
const BY_VOTES = statement('ratings.most_helpful_reviews').returning<Row>(
  listSql('(review.like_count - review.dislike_count)', '$2::integer'),
)

const FIRST_ID = Number.MAX_SAFE_INTEGER
const FIRST_TIME = '9999-12-31'
const FIRST_VOTES = 2 ** 31 - 1

/** Returns the position of a review in a list. */
export const positionOf = (
  { id, created_at: written, like_count: likes, dislike_count: dislikes }: UserReview,
  order: PublicReviewOrder,
): ReviewPosition => ({ id, value: order === 'newest' ? written.getTime() : likes - dislikes })

/**
 * Lists public reviews of all works. Pages are read by position, because an offset would read every review before it.
 *
 * @param after position of the last review of the previous page; undefined for the first page
 */
export async function listPublicReviews(
  db: Database,
  order: PublicReviewOrder,
  {
    seesNsfw,
    after,
    limit,
  }: { seesNsfw: boolean; after: ReviewPosition | undefined; limit: number },
): Promise<PublicReview[]> {
  const id = after?.id ?? FIRST_ID
  const rows =
    order === 'newest'
      ? await queryRows(db, BY_TIME, [seesNsfw, new Date(after?.value ?? FIRST_TIME), id, limit])
      : await queryRows(db, BY_VOTES, [seesNsfw, after?.value ?? FIRST_VOTES, id, limit])
  const authors = await listAuthors(
    db,
    rows.map(({ account_id: accountId }) => accountId),
    '',
  )
  return rows.flatMap(({ account_id: accountId, ...review }) => {
    const author = authors.get(accountId)
    return author ? [{ ...review, author }] : []
  })
}
