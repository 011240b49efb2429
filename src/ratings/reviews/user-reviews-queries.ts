import { workReference } from '../../catalog/sql-fragments.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { offsetAndLimit, type Page } from '../../http/wire/requests/paging.ts'
import type { Status } from '../fields.ts'
import type { WorkRef } from '../own/queries.ts'
import { isPublicReview } from './queries.ts'

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

const FROM_WHERE = `
  from ratings review
  join shown_works shown on shown.id = review.work_id
  where review.account_id = $1 and ${isPublicReview('review')} and (not shown.nsfw or $2::boolean)`

const COUNT = statement('ratings.user_reviews_count').returning<{ total: number }>(
  `select count(*) as total ${FROM_WHERE}`,
)

const LIST = statement('ratings.user_reviews_list').returning<UserReview>(`
  select review.*, work.reference as work
  from (
    select
      review.id, review.kind, review.work_id, review.status, review.rate,
      case when review.is_spoiler and not $3::boolean then '' else review.rate_content end as rate_content,
      review.is_spoiler, review.like_count, review.dislike_count, review.created_at, review.updated_at
    ${FROM_WHERE}
    order by review.created_at desc, review.id desc
    offset $4 limit $5
  ) review
  left join lateral (${workReference('review.work_id', 'review.kind')}) work on true
  order by review.created_at desc, review.id desc`)

type UserReviewsQuery = {
  seesNsfw: boolean
  /** Whether to include the text of reviews with spoilers. */
  spoilers: boolean
  page: Page
}

/** Lists one page of a user's public reviews, newest first, and their number. */
export async function listUserReviews(
  db: Database,
  accountId: number,
  { seesNsfw, spoilers, page }: UserReviewsQuery,
): Promise<{ reviews: UserReview[]; total: number }> {
  const { offset, limit } = offsetAndLimit(page)
  const [reviews, counted] = await Promise.all([
    queryRows(db, LIST, [accountId, seesNsfw, spoilers, offset, limit]),
    queryRow(db, COUNT, [accountId, seesNsfw]),
  ])
  return { reviews, total: counted?.total ?? 0 }
}
