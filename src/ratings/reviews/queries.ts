import { isoTime } from '../../catalog/sql-fragments.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { MAX_EXACT_TOTAL, offsetAndLimit, type Page } from '../../http/wire/requests/paging.ts'
import { hasTimeToFinish, SUB_SCORES } from '../fields.ts'
import type { ReviewOrder } from './schemas.ts'

/** Which records everybody may read: to the letter that of the partial indexes. */
export const isPublicReview = (rating: string) =>
  `${rating}.rate_content <> '' and not ${rating}.status_private and not ${rating}.hidden`

const ORDERS: Record<ReviewOrder, string> = {
  newest: 'review.created_at desc, review.id desc',
  top: '(review.like_count - review.dislike_count) desc, review.id desc',
  score: 'review.rate desc nulls last, review.id desc',
}

/** `total_items` of a work's reviews. Above `MAX_EXACT_TOTAL`, it is a stored count that may be a second old. */
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

/** The work `$1` of kind `$2`: the window `$3` (offset), `$4` (limit) of its reviews, `$5` with the text of spoilers, `$6` before paths of pictures. */
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
          ${isoTime('review.created_at')} as created_at,
          ${isoTime('review.updated_at')} as updated_at,
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

const listsOf = (kind: WorkKind) => ({
  newest: list(kind, 'newest'),
  top: list(kind, 'top'),
  score: list(kind, 'score'),
})
const LISTS = {
  galgame: listsOf('galgame'),
  light_novel: listsOf('light_novel'),
  manga: listsOf('manga'),
}

export type ReviewsQuery = {
  order: ReviewOrder
  spoilers: boolean
  page: Page
  /** Where pictures of readers are, for programs; missing: pages of ours ask, which take paths. */
  origin?: string
}
export type FoundReviews = {
  nsfw: boolean
  total: number
  /** In wire shape. */
  items: object[]
}

/** One page of a work's reviews, and how many there are in all; undefined when there is no such work. */
export async function findReviews(
  db: Database,
  kind: WorkKind,
  workId: number,
  { order, spoilers, page, origin = '' }: ReviewsQuery,
): Promise<FoundReviews | undefined> {
  const { offset, limit } = offsetAndLimit(page)
  const [found] = await queryRows(db, LISTS[kind][order], [
    workId,
    kind,
    offset,
    limit,
    spoilers,
    origin,
  ])
  return found
}
