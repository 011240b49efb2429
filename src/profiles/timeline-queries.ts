import { workRefRowsSql } from '../catalog/sql-fragments.ts'
import type { WorkRef } from '../catalog/work-refs.ts'
import type { WorkKind } from '../catalog/kinds.ts'
import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import type { Status } from '../ratings/fields.ts'
import { excerptSql, isPublicReview } from '../ratings/reviews/queries.ts'
import { IS_PUBLISHED } from './queries.ts'

/** A work that a user finished, scored or reviewed. Fields that the profile does not show are null. */
export type TimelineEntry = {
  id: number
  account_id: number
  /** Name in the path of the profile; null if the path contains the account id. */
  name: string | null
  display_name: string
  picture: string | null
  kind: WorkKind
  work_id: number
  work: WorkRef | null
  status: Status | null
  rate: number | null
  /** Null without a public review. */
  review: string | null
  is_spoiler: boolean
  updated_at: Date
}

/** Position in the timeline: the time of the last entry in milliseconds, and its id. */
type TimelinePosition = { value: number; id: number }

/** Maximum number of characters of a review. */
const MAX_REVIEW_LENGTH = 600

const IS_SHOWN_REVIEW = `(profile.shows_reviews and ${isPublicReview('rating')})`

/**
 * Builds SQL that reads the published ratings of profiles. Nothing is copied, so hidden data disappears at
 * once. The inner limit bounds the rows read of each profile.
 *
 * @param accountColumn column that is compared with the account `$1`
 */
const timelineSql = (profiles: string, accountColumn: string) => `
  select entry.*, work.reference as work
  from (
    select
      rating.id, profile.account_id, profile.name, coalesce(account.nickname, account.name) as display_name,
      account.picture, rating.kind, rating.work_id, rating.status, rating.rate, rating.review, rating.is_spoiler,
      rating.updated_at
    from ${profiles}
    join accounts account on account.id = profile.account_id
    cross join lateral (
      select
        rating.id, rating.kind, rating.work_id, rating.updated_at, rating.is_spoiler,
        rating.status, rating.rate,
        case when ${IS_SHOWN_REVIEW} then ${excerptSql('rating.rate_content', MAX_REVIEW_LENGTH)} end as review
      from ratings rating
      join shown_works shown on shown.id = rating.work_id
      where rating.account_id = profile.account_id
        and not rating.status_private and not rating.hidden
        and ($2 or not shown.nsfw)
        and (
          (profile.shows_list and (rating.status = 'COMPLETED' or rating.rate is not null))
          or ${IS_SHOWN_REVIEW}
        )
        and rating.updated_at <= $3::timestamptz
        and (rating.updated_at, rating.id) < ($3::timestamptz, $4::bigint)
      order by rating.updated_at desc, rating.id desc
      limit $5
    ) rating
    where ${accountColumn} = $1 and ${IS_PUBLISHED}
    order by rating.updated_at desc, rating.id desc
    limit $5
  ) entry
  left join lateral (${workRefRowsSql('entry.work_id', 'entry.kind')}) work on true
  order by entry.updated_at desc, entry.id desc`

const OF_FOLLOWED = statement('profiles.timeline').returning<TimelineEntry>(
  timelineSql(
    'follows join public_profiles profile on profile.account_id = follows.followed_id',
    'follows.account_id',
  ),
)

const OF_PROFILE = statement('profiles.activity').returning<TimelineEntry>(
  timelineSql('public_profiles profile', 'profile.account_id'),
)

type TimelineQuery = {
  seesNsfw: boolean
  /** Position of the last entry of the previous page; undefined for the first page. */
  after: TimelinePosition | undefined
  limit: number
}

const parametersOf = (accountId: number, { seesNsfw, after, limit }: TimelineQuery) =>
  [
    accountId,
    seesNsfw,
    new Date(after?.value ?? '9999-12-31'),
    after?.id ?? Number.MAX_SAFE_INTEGER,
    limit,
  ] as const

/** Lists the published activity of followed profiles, most recent first. */
export const listTimeline = (db: Database, accountId: number, query: TimelineQuery) =>
  queryRows(db, OF_FOLLOWED, parametersOf(accountId, query))

/** Lists the public activity of one profile, most recent first. */
export const listProfileActivity = (db: Database, accountId: number, limit: number) =>
  queryRows(db, OF_PROFILE, parametersOf(accountId, { seesNsfw: false, after: undefined, limit }))
