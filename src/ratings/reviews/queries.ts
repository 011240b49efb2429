import { recordOf } from '../../kernel/typed-records.ts'
import { isoTimeSql, workRefRowsSql } from '../../catalog/sql-fragments.ts'
import { byWorkKind, type WorkKind } from '../../catalog/kinds.ts'
import { queryRow, queryRows } from '../../db/query.ts'
import { forAnyValue } from '../../db/generic-plan.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { MAX_EXACT_TOTAL, offsetAndLimit, type Page } from '../../http/wire/requests/paging.ts'
import { hasTimeToFinish, SUB_SCORES, type Status } from '../fields.ts'
import type { WorkRef } from '../../catalog/work-refs.ts'
import { REVIEW_ORDERS, type ReviewOrder } from './schemas.ts'

/** SQL condition for public reviews. Must match the condition of the partial indexes exactly. */
export const isPublicReview = (rating: string) =>
  `${rating}.rate_content <> '' and not ${rating}.status_private and not ${rating}.hidden`

/** SQL for the beginning of a text, which ends with an ellipsis if more follows. */
export const excerptSql = (text: string, maxLength: number) =>
  `case when length(${text}) > ${maxLength} then rtrim(left(${text}, ${maxLength - 1})) || '…' else ${text} end`

const ORDERS: Record<ReviewOrder, string> = {
  newest: 'review.created_at desc, review.id desc',
  top: '(review.like_count - review.dislike_count) desc, review.id desc',
  score: 'review.rate desc nulls last, review.id desc',
}

/** Finds a work, with the stored number of its reviews, which may be a second old. */
const FIND_REVIEWED_WORK = statement('ratings.find_reviewed_work').returning<{
  nsfw: boolean
  stored: number | null
}>(`
  select
    work.nsfw,
    (
      select reviews.amount
      from rating_counts reviews
      where reviews.work_id = work.id and reviews.field = 'content' and reviews.value = 'REVIEW'
    ) as stored
  from shown_works work
  where work.id = $1 and work.kind = $2`)

const COUNT_REVIEWS = statement('ratings.count_reviews').returning<{ total: number }>(`
  select count(*) as total
  from (
    select from ratings review where review.work_id = $1 and ${isPublicReview('review')}
    limit ${MAX_EXACT_TOTAL + 1}
  ) counted_first`)

/** Lists the authors of reviews. Parameters: accounts, origin of uploaded pictures. */
const SELECT_AUTHORS = statement('ratings.list_review_authors').returning<Author>(`
  select
    account.id, coalesce(account.nickname, account.name) as name,
    case when account.picture like '/%' then $2 || account.picture else account.picture end as picture
  from accounts account
  where account.id = any(${forAnyValue('$1::bigint[]')})`)

export type Author = { id: number; name: string; picture: string | null }

/** Returns the authors of reviews by account. */
export async function listAuthors(
  db: Database,
  ids: number[],
  origin: string,
): Promise<Map<number, Author>> {
  const authors = await queryRows(db, SELECT_AUTHORS, [ids, origin])
  return new Map(authors.map((author) => [author.id, author]))
}

/**
 * Builds SQL that selects public reviews of the work `$1`.
 *
 * @param spoilers SQL for whether to include the text of spoilers
 */
const selectReviews = (kind: WorkKind, spoilers: string) => `
  select
    review.account_id,
    review.id,
    ${isoTimeSql('review.created_at')} as created_at,
    ${isoTimeSql('review.updated_at')} as updated_at,
    review.status,
    review.rate,
    ${SUB_SCORES[kind].map((name) => `review.${name},`).join(' ')}
    case when review.is_spoiler and not ${spoilers} then '' else review.rate_content end as rate_content,
    review.is_spoiler,
    review.like_count,
    review.dislike_count
    ${hasTimeToFinish(kind) ? ', review.time_to_finish_minutes' : ''}
  from ratings review
  where review.work_id = $1 and ${isPublicReview('review')}`

/** Builds the statement for one page. Parameters: work, offset, limit, whether to include the text of spoilers. */
const list = (kind: WorkKind, order: ReviewOrder) =>
  statement(`ratings.list_${kind}_reviews_by_${order}`).returning<{ account_id: number }>(`
  ${selectReviews(kind, '$4')}
  order by ${ORDERS[order]}
  offset $2 limit $3`)

const LISTS = byWorkKind((kind) => recordOf(REVIEW_ORDERS, (order) => list(kind, order)))

const FIND_REVIEW = byWorkKind((kind) =>
  statement(`ratings.find_${kind}_review`).returning<{ account_id: number; rate: number | null }>(
    `${selectReviews(kind, 'true')} and review.id = $2`,
  ),
)

type ReviewsQuery = {
  order: ReviewOrder
  spoilers: boolean
  page: Page
  /** Makes picture URLs absolute for API clients. Pages of the site use paths. */
  origin?: string
}
type FoundReviews = { nsfw: boolean; total: number; items: object[] }

/**
 * Finds one page of a work's reviews, and the total number of reviews. Returns undefined if the work does not exist.
 * Ratings, the catalog and accounts are read separately (decision 0039).
 */
export async function findReviews(
  db: Database,
  kind: WorkKind,
  workId: number,
  { order, spoilers, page, origin = '' }: ReviewsQuery,
): Promise<FoundReviews | undefined> {
  const { offset, limit } = offsetAndLimit(page)
  const [work, counted, reviews] = await Promise.all([
    queryRow(db, FIND_REVIEWED_WORK, [workId, kind]),
    queryRow(db, COUNT_REVIEWS, [workId]),
    queryRows(db, LISTS[kind][order], [workId, offset, limit, spoilers]),
  ])
  if (!work) return undefined
  const users = await listAuthors(
    db,
    reviews.map(({ account_id: id }) => id),
    origin,
  )
  const total = counted?.total ?? 0
  return {
    nsfw: work.nsfw,
    total: total <= MAX_EXACT_TOTAL ? total : Math.max(total, work.stored ?? 0),
    items: reviews.flatMap(({ account_id: id, ...review }) => {
      const user = users.get(id)
      return user ? [{ ...review, user }] : []
    }),
  }
}

/** Finds a public review of a work by its id, with its spoilers. */
export async function findReview(
  db: Database,
  kind: WorkKind,
  workId: number,
  id: number,
): Promise<{ user: Author; nsfw: boolean; rate: number | null } | undefined> {
  const [work, review] = await Promise.all([
    queryRow(db, FIND_REVIEWED_WORK, [workId, kind]),
    queryRow(db, FIND_REVIEW[kind], [workId, id]),
  ])
  if (!work || !review) return undefined
  const { account_id: accountId, ...found } = review
  const user = (await listAuthors(db, [accountId], '')).get(accountId)
  return user && { ...found, user, nsfw: work.nsfw }
}

export type UserReview = {
  id: number
  kind: WorkKind
  work_id: number
  work: WorkRef | null
  status: Status | null
  rate: number | null
  rate_content: string
  is_spoiler: boolean
  like_count: number
  dislike_count: number
  created_at: Date
  updated_at: Date
}

const FROM_USER_REVIEWS = `
  from ratings review
  join shown_works shown on shown.id = review.work_id
  where review.account_id = $1 and ${isPublicReview('review')} and (not shown.nsfw or $2::boolean)`

const COUNT_OF_USER = statement('ratings.user_reviews_count').returning<{ total: number }>(
  `select count(*) as total ${FROM_USER_REVIEWS}`,
)

const LIST_OF_USER = statement('ratings.user_reviews_list').returning<UserReview>(`
  select review.*, work.reference as work
  from (
    select
      review.id, review.kind, review.work_id, review.status, review.rate,
      case when review.is_spoiler and not $3::boolean then '' else review.rate_content end as rate_content,
      review.is_spoiler, review.like_count, review.dislike_count, review.created_at, review.updated_at
    ${FROM_USER_REVIEWS}
    order by review.created_at desc, review.id desc
    offset $4 limit $5
  ) review
  left join lateral (${workRefRowsSql('review.work_id', 'review.kind')}) work on true
  order by review.created_at desc, review.id desc`)

type UserReviewsQuery = { seesNsfw: boolean; spoilers: boolean; page: Page }

/** Lists one page of a user's public reviews, newest first, and the total number of reviews. */
export async function listUserReviews(
  db: Database,
  accountId: number,
  { seesNsfw, spoilers, page }: UserReviewsQuery,
): Promise<{ reviews: UserReview[]; total: number }> {
  const { offset, limit } = offsetAndLimit(page)
  const [reviews, counted] = await Promise.all([
    queryRows(db, LIST_OF_USER, [accountId, seesNsfw, spoilers, offset, limit]),
    queryRow(db, COUNT_OF_USER, [accountId, seesNsfw]),
  ])
  return { reviews, total: counted?.total ?? 0 }
}
