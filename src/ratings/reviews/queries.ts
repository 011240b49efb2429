import { recordOf } from '../../kernel/typed-records.ts'
import { isoTimeSql, workRefRowsSql } from '../../catalog/sql-fragments.ts'
import { byWorkKind, type WorkKind } from '../../catalog/kinds.ts'
import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { MAX_EXACT_TOTAL, offsetAndLimit, type Page } from '../../http/wire/requests/paging.ts'
import { hasTimeToFinish, SUB_SCORES, type Status } from '../fields.ts'
import type { WorkRef } from '../own/queries.ts'
import { REVIEW_ORDERS, type ReviewOrder } from './schemas.ts'

/** SQL condition for public reviews. Must match the condition of the partial indexes exactly. */
export const isPublicReview = (rating: string) =>
  `${rating}.rate_content <> '' and not ${rating}.status_private and not ${rating}.hidden`

const ORDERS: Record<ReviewOrder, string> = {
  newest: 'review.created_at desc, review.id desc',
  top: '(review.like_count - review.dislike_count) desc, review.id desc',
  score: 'review.rate desc nulls last, review.id desc',
}

/**
 * SQL for `total_items` of a work's reviews. Above `MAX_EXACT_TOTAL`, it is a stored count that may be a second old.
 */
const countOf = (work: string) => `(
    select case when counted.total <= ${MAX_EXACT_TOTAL} then counted.total else greatest(
      counted.total,
      (
        select reviews.amount
        from rating_counts reviews
        where reviews.work_id = ${work} and reviews.field = 'content' and reviews.value = 'REVIEW'
      )
    ) end
    from (
      select count(*) as total
      from (
        select from ratings review where review.work_id = ${work} and ${isPublicReview('review')}
        limit ${MAX_EXACT_TOTAL + 1}
      ) counted_first
    ) counted
  )`

/**
 * Builds the statement for one page of a work's reviews. Parameters: work, kind, offset, limit, whether to include the
 * text of spoilers, origin of uploaded pictures.
 */
const list = (kind: WorkKind, order: ReviewOrder) =>
  statement(`ratings.list_${kind}_reviews_by_${order}`).returning<FoundReviews>(`
  select
    work.nsfw,
    ${countOf('work.id')} as total,
    (
      select coalesce(json_agg(row_to_json(item)), '[]')
      from (
        select
          review.id,
          ${isoTimeSql('review.created_at')} as created_at,
          ${isoTimeSql('review.updated_at')} as updated_at,
          json_build_object(
            'id', account.id, 'name', coalesce(account.nickname, account.name), 'picture',
            case when account.picture like '/%' then $6 || account.picture else account.picture end
          ) as user,
          review.status,
          review.rate,
          ${SUB_SCORES[kind].map((name) => `review.${name},`).join(' ')}
          case when review.is_spoiler and not $5 then '' else review.rate_content end as rate_content,
          review.is_spoiler,
          review.like_count,
          review.dislike_count
          ${hasTimeToFinish(kind) ? ', review.time_to_finish_minutes' : ''}
        from (
          select * from ratings review
          where review.work_id = work.id and ${isPublicReview('review')}
          order by ${ORDERS[order]}
          offset $3 limit $4
        ) review
        join accounts account on account.id = review.account_id
        order by ${ORDERS[order]}
      ) item
    ) as items
  from shown_works work
  where work.id = $1 and work.kind = $2`)

const LISTS = byWorkKind((kind) => recordOf(REVIEW_ORDERS, (order) => list(kind, order)))

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
 */
export function findReviews(
  db: Database,
  kind: WorkKind,
  workId: number,
  { order, spoilers, page, origin = '' }: ReviewsQuery,
): Promise<FoundReviews | undefined> {
  const { offset, limit } = offsetAndLimit(page)
  return queryRow(db, LISTS[kind][order], [workId, kind, offset, limit, spoilers, origin])
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
