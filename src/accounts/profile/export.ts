import { listEvents } from '../../audit/events.ts'
import { queryRows } from '../../db/query.ts'
import { statementOf } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { listTrustedBrowsers } from '../sign-in/trusted-browsers.ts'
import { getPreferences } from '../preferences/queries.ts'
import { findAccount } from '../queries.ts'

/** Maximum number of exported events. No account has that many. */
const MAX_EVENTS = 10_000

/**
 * Queries for the data of the account `$1`, keyed by their key in the export. None selects a secret or a hash of one.
 */
const QUERIES = {
  // The account's own time of the request is deleted when it is approved.
  sign_up: `
    select
      account.invitation_id,
      case when account.invitation_id is not null then account.created_at end as invitation_used_at,
      coalesce(
        account.approval_requested_at,
        (
          select min(event.at)
          from audit_events event
          where event.account_id = $1 and event.kind = 'sign_up' and event.details @> '{"awaits_approval": true}'
        )
      ) as approval_requested_at
    from accounts account
    where account.id = $1`,
  sessions: `
    select user_agent, address, created_at, last_used_at, expires_at
    from sessions
    where account_id = $1
    order by created_at, id_hash`,
  consents: `
    select client_id, scopes, created_at, updated_at, last_used_at
    from consents
    where account_id = $1
    order by created_at, client_id`,
  passkeys: `
    select name, created_at, last_used_at
    from passkeys
    where account_id = $1
    order by created_at, credential_id`,
  personal_tokens: `
    select name, scopes, created_at, expires_at, last_used_at
    from personal_tokens
    where account_id = $1
    order by id`,
  private_feeds: 'select created_at from private_feeds where account_id = $1',
  upstream_identities: `
    select issuer, subject, email, created_at, last_used_at
    from upstream_identities
    where account_id = $1
    order by created_at, issuer`,
  known_devices: `
    select last_used_at, language
    from known_devices
    where account_id = $1
    order by last_used_at, device_hash`,
  // The URL of each picture has the form `/uploads/{hash}.webp`.
  uploads: 'select hash, created_at from uploads where account_id = $1 order by id',
  apps: `
    select client_id, client_name, client_uri, logo, redirect_uris, scopes, created_at
    from apps
    where account_id = $1
    order by created_at, client_id`,
  collections: `
    select id, name, description, is_private, is_default, created_at, updated_at
    from collections
    where account_id = $1
    order by created_at, id`,
  collection_items: `
    select collection_id, work_id, note, position, added_at, updated_at
    from collection_items
    where account_id = $1
    order by collection_id, added_at, work_id`,
  public_profile: `
    select
      is_shown, name, shows_list, shows_statistics, shows_reviews, shows_collections, may_be_found, updated_at,
      (
        select coalesce(jsonb_agg(taken.name order by taken.taken_at, taken.folded), '[]')
        from profile_names taken
        where taken.account_id = $1
      ) as names
    from public_profiles
    where account_id = $1`,
  favorites: `
    select position, upper(kind) as work_type, work_id
    from favorites
    where account_id = $1
    order by position`,
  follows:
    'select followed_id, created_at from follows where account_id = $1 order by created_at, followed_id',
  notification_settings: `
    select read_until, notifies_volumes, notifies_votes, notifies_reports, notifies_followers
    from notification_settings
    where account_id = $1`,
  deleted_collections: `
    select collection, items, deleted_at
    from deleted_collections
    where account_id = $1
    order by deleted_at, id`,
  removed_items: `
    select collection_id, item, removed_at
    from removed_items
    where account_id = $1
    order by removed_at, collection_id, work_id`,
  reports: `
    select kind, place, reason, note, state, created_at, decided_at
    from reports
    where account_id = $1
    order by id`,
  takedowns: `
    select kind, place, reason, note, hidden_at, appeal, appealed_at, appeal_decided_at, appeal_answer, restored_at
    from takedowns
    where owner_id = $1
    order by id`,
  ratings: `
    select
      upper(kind) as work_type, work_id,
      to_jsonb(rating) - '{id,account_id,work_id,kind,like_count,dislike_count,hidden,previous,created_at,updated_at}'::text[]
        as said,
      like_count, dislike_count, created_at, updated_at
    from ratings rating
    where account_id = $1
    order by work_id`,
  progress: `
    select
      upper(kind) as work_type, work_id, started_on, finished_on, volumes_read, chapters_read, times_finished, rereads,
      private_note, labels, minutes, updated_at
    from progress
    where account_id = $1
    order by work_id`,
  rating_changes: `
    select upper(kind) as work_type, work_id, action, client_id, fields, changed_at
    from rating_changes
    where account_id = $1
    order by id`,
  // A vote must not disclose that a review still exists after it has become private.
  review_votes: `
    select upper(rating.kind) as work_type, rating.work_id, vote.rating_id, vote.liked, vote.created_at, vote.updated_at
    from review_votes vote
    join ratings rating on rating.account_id = vote.account_id and rating.work_id = vote.work_id
    where vote.voter_id = $1 and rating.rate_content <> '' and not rating.status_private and not rating.hidden
    order by vote.created_at, vote.rating_id`,
}

type Rows = Record<string, unknown>[]

const STATEMENTS = Object.entries(QUERIES).map(
  ([key, text]) =>
    [key, statementOf<Rows[number], [number]>(`accounts.export_${key}`, text)] as const,
)

/**
 * Returns everything stored about an account, for its owner to download: ready for JSON, in our column names, without
 * secrets and hashes.
 *
 * @returns undefined if there is no such account
 */
export async function exportAccount(db: Database, id: number) {
  const profile = await findAccount(db, id)
  if (!profile) return undefined
  const { has_totp, has_password, ...account } = profile
  const exported: Record<string, Rows> = {}
  for (const [key, statement] of STATEMENTS) exported[key] = await queryRows(db, statement, [id])
  // as: every key has a query
  const { public_profile, sign_up, notification_settings, private_feeds, ...lists } =
    exported as Record<keyof typeof QUERIES, Rows>
  return {
    account,
    has_totp,
    has_password,
    sign_up: sign_up[0] ?? null,
    preferences: await getPreferences(db, id),
    trusted_browsers: await listTrustedBrowsers(db, id),
    public_profile: public_profile[0] ?? null,
    notification_settings: notification_settings[0] ?? null,
    private_feeds: private_feeds[0] ?? null,
    ...lists,
    events: await listEvents(db, id, { limit: MAX_EVENTS }),
  }
}
