import { workRefRowsSql } from '../catalog/sql-fragments.ts'
import type { WorkRef } from '../catalog/work-refs.ts'
import type { WorkKind } from '../catalog/kinds.ts'
import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import { isPublicReview } from '../ratings/reviews/queries.ts'

/** Kinds of notifications, each with a switch. */
export const NOTIFICATION_KINDS = ['volumes', 'votes', 'reports', 'followers'] as const
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number]

export type NotificationSettings = Record<`notifies_${NotificationKind}`, boolean>

export type Notification = {
  kind: NotificationKind
  at: Date
  is_unread: boolean
  work_kind: WorkKind | null
  work_id: number | null
  work: WorkRef | null
  /** The review, the report or the follower; null for volumes. */
  subject_id: number | null
  /** Number of votes; null for other kinds. */
  amount: number | null
  /** Number of the volume, or the state of the report. */
  detail: string | null
}

/** Maximum number of notifications on the page. */
const MAX_NOTIFICATIONS = 100

const SINCE = `now() - interval '90 days'`
const TODAY = `(now() at time zone 'UTC')::date`

const volumesOf = (kind: 'light_novel' | 'manga') => `
    select '${kind}' as kind, volume.${kind}_id as work_id, volume.publication_date, volume.added_at, volume.volume_number
    from ${kind}_volumes volume
    where volume.publication_date between ${TODAY} - 90 and ${TODAY}`

/** Settings of the user, or the defaults if none are stored. */
const SETTINGS = `
  select
    coalesce(max(stored.read_until), '-infinity') as read_until,
    ${NOTIFICATION_KINDS.map((kind) => `coalesce(bool_and(stored.notifies_${kind}), true) as notifies_${kind}`).join(',\n    ')}
  from notification_settings stored
  where stored.account_id = $1`

/**
 * Notifications of the user `$1`, who sees adult works if `$2`. Each kind is derived from the rows that cause it, so a
 * notification disappears with them: a withdrawn vote, a hidden follower, a work that left the list. Votes are only counted:
 * no voter is named. Volumes count from the later of their publication and their arrival in the catalog.
 */
const NOTIFICATIONS = `
  select
    'volumes' as kind, greatest(volume.publication_date::timestamp at time zone 'UTC', volume.added_at) as at,
    volume.kind as work_kind, volume.work_id, null::bigint as subject_id, null::bigint as amount,
    trim_scale(volume.volume_number)::text as detail
  from settings
  cross join (${volumesOf('light_novel')}
    union all ${volumesOf('manga')}
  ) volume
  join ratings rating on rating.account_id = $1 and rating.work_id = volume.work_id
  join shown_works shown on shown.id = volume.work_id
  where settings.notifies_volumes
    and rating.status is distinct from 'DROPPED'
    and volume.publication_date >= (rating.created_at at time zone 'UTC')::date
    and ($2::boolean or not shown.nsfw)
  union all
  select 'votes', max(vote.updated_at), rating.kind, rating.work_id, rating.id, count(*), null
  from settings
  join review_votes vote on vote.account_id = $1
  join ratings rating on rating.account_id = $1 and rating.work_id = vote.work_id
  where settings.notifies_votes
    and vote.liked and not vote.hidden and vote.updated_at > ${SINCE} and ${isPublicReview('rating')}
  group by rating.account_id, rating.work_id
  union all
  select 'reports', report.decided_at, null, null, report.id, null,
    case when report.kind = 'ENTRY' and report.state = 'UPHELD' then 'CORRECTED' else report.state end
  from settings
  join reports report on report.account_id = $1
  where settings.notifies_reports and report.decided_at > ${SINCE}
  union all
  select 'followers', follow.created_at, null, null, follow.account_id, null, null
  from settings
  join follows follow on follow.followed_id = $1
  join account_refs follower on follower.id = follow.account_id
  where settings.notifies_followers and follow.created_at > ${SINCE} and not follower.hidden`

const LIST = statement('notifications.list').returning<Notification>(`
  with settings as materialized (${SETTINGS})
  select
    notification.kind, notification.at, notification.at > settings.read_until as is_unread, notification.work_kind,
    notification.work_id, work.reference as work, notification.subject_id, notification.amount, notification.detail
  from (
    select * from (${NOTIFICATIONS}) found
    order by at desc, kind, work_id, subject_id, detail
    limit ${MAX_NOTIFICATIONS}
  ) notification
  cross join settings
  left join lateral (${workRefRowsSql('notification.work_id', 'notification.work_kind')}) work on true
  order by notification.at desc, notification.kind, notification.work_id, notification.subject_id, notification.detail`)

/** Lists a user's notifications of the last 90 days, newest first. */
export const listNotifications = (db: Database, accountId: number, seesNsfw: boolean) =>
  queryRows(db, LIST, [accountId, seesNsfw])

const COUNT_UNREAD = statement('notifications.count_unread').returning<{ amount: number }>(`
  with settings as materialized (${SETTINGS})
  select count(*) as amount
  from (${NOTIFICATIONS}) notification
  cross join settings
  where notification.at > settings.read_until`)

/** Counts a user's unread notifications. */
export async function countUnread(
  db: Database,
  accountId: number,
  seesNsfw: boolean,
): Promise<number> {
  return (await queryRow(db, COUNT_UNREAD, [accountId, seesNsfw]))?.amount ?? 0
}

const FIND_SETTINGS = statement('notifications.settings').returning<NotificationSettings>(
  `select ${NOTIFICATION_KINDS.map((kind) => `settings.notifies_${kind}`).join(', ')} from (${SETTINGS}) settings`,
)

export async function getNotificationSettings(
  db: Database,
  accountId: number,
): Promise<NotificationSettings> {
  const found = await queryRow(db, FIND_SETTINGS, [accountId])
  if (!found) throw new Error('an aggregate returns one row')
  return found
}

const SAVE_SETTINGS = statement('notifications.save_settings').sql(`
  insert into notification_settings (account_id, ${NOTIFICATION_KINDS.map((kind) => `notifies_${kind}`).join(', ')})
  select id, $2, $3, $4, $5 from account_refs where id = $1 for key share
  on conflict (account_id) do update
  set ${NOTIFICATION_KINDS.map((kind) => `notifies_${kind} = excluded.notifies_${kind}`).join(', ')}`)

export const saveNotificationSettings = (
  db: Database,
  accountId: number,
  settings: NotificationSettings,
) =>
  queryRows(db, SAVE_SETTINGS, [
    accountId,
    // The values are in the order of NOTIFICATION_KINDS.
    settings.notifies_volumes,
    settings.notifies_votes,
    settings.notifies_reports,
    settings.notifies_followers,
  ])

const MARK_READ = statement('notifications.mark_read').sql(`
  insert into notification_settings as settings (account_id, read_until)
  select id, least($2::timestamptz, now()) from account_refs where id = $1 for key share
  on conflict (account_id) do update
  set read_until = greatest(settings.read_until, excluded.read_until)`)

/** Marks all notifications up to a time as read. A time in the future counts as now. */
export const markNotificationsRead = (db: Database, accountId: number, until: Date) =>
  queryRows(db, MARK_READ, [accountId, until])
