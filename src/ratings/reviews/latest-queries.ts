import { withWorkRefs } from '../../catalog/work-refs.ts'
import { forAnyValue } from '../../db/generic-plan.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { isPublicReview, listAuthors, type Author, type UserReview } from './queries.ts'

export const PUBLIC_REVIEW_ORDERS = ['newest', 'top'] as const
export type PublicReviewOrder = (typeof PUBLIC_REVIEW_ORDERS)[number]

/** Position in a list of reviews: the sorted value of the last review, and its id. */
export type ReviewPosition = { value: number; id: number }

export type PublicReview = UserReview & { author: Author }

type Row = Omit<UserReview, 'work'> & { account_id: number }

/** Columns that decide whether and where a review is listed. */
type Place = Pick<Row, 'id' | 'work_id' | 'created_at' | 'like_count' | 'dislike_count'>

/** Builds the list of reviews of all works after a position, which `$1` and `$2` name. */
const listSql = (value: string, parameter: string) => `
  select review.id, review.work_id, review.created_at, review.like_count, review.dislike_count
  from ratings review
  where ${isPublicReview('review')} and (${value}, review.id) < (${parameter}, $2::bigint)
  order by ${value} desc, review.id desc
  limit $3`

const BY_TIME = statement('ratings.latest_reviews').returning<Place>(
  listSql('review.created_at', '$1::timestamptz'),
)
const BY_VOTES = statement('ratings.most_helpful_reviews').returning<Place>(
  listSql('(review.like_count - review.dislike_count)', '$1::integer'),
)

const LIST_VISIBLE = statement('ratings.list_visible_works').returning<{ id: number }>(`
  select id from shown_works where id = any(${forAnyValue('$1::bigint[]')}) and (not nsfw or $2::boolean)`)

const LIST_BY_ID = statement('ratings.list_reviews_by_id').returning<Row>(`
  select
    review.id, review.account_id, review.kind, review.work_id, review.status, review.rate, review.rate_content,
    review.is_spoiler, review.like_count, review.dislike_count, review.created_at, review.updated_at
  from ratings review
  where review.id = any(${forAnyValue('$1::bigint[]')}) and ${isPublicReview('review')}`)

const FIRST_ID = Number.MAX_SAFE_INTEGER
const FIRST_TIME = '9999-12-31'
const FIRST_VOTES = 2 ** 31 - 1

/** Returns the position of a review in a list. */
export const positionOf = (review: Place, order: PublicReviewOrder): ReviewPosition => ({
  id: review.id,
  value:
    order === 'newest' ? review.created_at.getTime() : review.like_count - review.dislike_count,
})

/** Maximum number of places to read at once. */
const MAX_READ = 5_000

/**
 * Lists public reviews of all works. Pages are read by position, because an offset would read every review before it.
 * Ratings, the catalog and accounts are read separately (decision 0039).
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
  const found: number[] = []
  let position = after
  // Reads more than needed if reviews of adult works will be left out.
  for (let amount = seesNsfw ? limit : 2 * limit; ; amount = Math.min(2 * amount, MAX_READ)) {
    const id = position?.id ?? FIRST_ID
    const rows =
      order === 'newest'
        ? await queryRows(db, BY_TIME, [new Date(position?.value ?? FIRST_TIME), id, amount])
        : await queryRows(db, BY_VOTES, [position?.value ?? FIRST_VOTES, id, amount])
    const works = rows.map(({ work_id: workId }) => workId)
    const visible = new Set(
      (await queryRows(db, LIST_VISIBLE, [works, seesNsfw])).map(({ id: workId }) => workId),
    )
    found.push(...rows.flatMap((row) => (visible.has(row.work_id) ? row.id : [])))
    const last = rows.at(-1)
    if (!last || rows.length < amount || found.length >= limit) break
    position = positionOf(last, order)
  }
  const ids = found.slice(0, limit)
  const shown = new Map((await queryRows(db, LIST_BY_ID, [ids])).map((row) => [row.id, row]))
  const rows = ids.flatMap((id) => shown.get(id) ?? [])
  const [reviews, authors] = await Promise.all([
    withWorkRefs(db, rows),
    listAuthors(
      db,
      rows.map(({ account_id: accountId }) => accountId),
      '',
    ),
  ])
  return reviews.flatMap(({ account_id: accountId, ...review }) => {
    const author = authors.get(accountId)
    return author ? [{ ...review, author }] : []
  })
}
