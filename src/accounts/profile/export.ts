import { listEvents } from '../../audit/events.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { listTrustedBrowsers } from '../sign-in/trusted-browsers.ts'
import { getPreferences } from '../preferences/queries.ts'
import { findAccount } from '../queries.ts'

/** More than anybody has. */
const MAX_EVENTS = 10_000

const EXPORT_RATINGS = statement('accounts.export_ratings').sql(`
  select upper(kind) as work_type, work_id, rating_fields(rating) as said, like_count, dislike_count, created_at, updated_at
  from ratings rating
  where account_id = $1
  order by work_id`)

const EXPORT_RATING_CHANGES = statement('accounts.export_rating_changes').sql(`
  select upper(kind) as work_type, work_id, action, client_id, fields, changed_at
  from rating_changes
  where account_id = $1
  order by id`)

const EXPORT_REVIEW_VOTES = statement('accounts.export_review_votes').sql(`
  select upper(rating.kind) as work_type, rating.work_id, vote.rating_id, vote.liked, vote.created_at, vote.updated_at
  from review_votes vote
  join ratings rating on rating.account_id = vote.account_id and rating.work_id = vote.work_id
  -- a vote must not disclose that a review that is private by now still exists
  where vote.voter_id = $1 and rating.rate_content <> '' and not rating.status_private and not rating.hidden
  order by vote.created_at, vote.rating_id`)

/** Pictures; each is at `/uploads/{hash}.webp`. */
const SELECT_UPLOADS = statement('accounts.select_uploads').returning<{
  hash: string
  created_at: Date
}>('select hash, created_at from uploads where account_id = $1 order by id')

/** What the reader has recorded, what became of it, and what they think of others' reviews. */
async function exportRatings(db: Database, id: number) {
  const [ratings, rating_changes, review_votes] = await Promise.all(
    [EXPORT_RATINGS, EXPORT_RATING_CHANGES, EXPORT_REVIEW_VOTES].map((part) =>
      queryRows(db, part, [id]),
    ),
  )
  return { ratings, rating_changes, review_votes }
}

const EXPORT_PUBLIC_PROFILE = statement('accounts.export_public_profile').sql(`
  select
    is_shown, name, shows_list, shows_statistics, shows_reviews, shows_collections, may_be_found, updated_at,
    (
      select coalesce(jsonb_agg(taken.name order by taken.taken_at, taken.folded), '[]')
      from profile_names taken
      where taken.account_id = $1
    ) as names
  from public_profiles
  where account_id = $1`)

const EXPORT_DELETED_COLLECTIONS = statement('accounts.export_deleted_collections').sql(
  'select collection, items, deleted_at from deleted_collections where account_id = $1 order by deleted_at, id',
)

const EXPORT_REMOVED_ITEMS = statement('accounts.export_removed_items').sql(`
  select collection_id, item, removed_at from removed_items where account_id = $1
  order by removed_at, collection_id, work_id`)

const EXPORT_REPORTS = statement('accounts.export_reports').sql(
  'select kind, place, reason, note, state, created_at, decided_at from reports where account_id = $1 order by id',
)

const EXPORT_TAKEDOWNS = statement('accounts.export_takedowns').sql(`
  select kind, place, reason, note, hidden_at, appeal, appealed_at, appeal_decided_at, appeal_answer, restored_at
  from takedowns
  where owner_id = $1
  order by id`)

/** What the reader has reported, and what was hidden of theirs. */
async function exportModeration(db: Database, id: number) {
  const [reports, takedowns] = await Promise.all(
    [EXPORT_REPORTS, EXPORT_TAKEDOWNS].map((part) => queryRows(db, part, [id])),
  )
  return { reports, takedowns }
}

/** What the reader shows to everybody, and what of their collections could still be brought back. */
async function exportShown(db: Database, id: number) {
  const [profiles, deleted_collections, removed_items] = await Promise.all(
    [EXPORT_PUBLIC_PROFILE, EXPORT_DELETED_COLLECTIONS, EXPORT_REMOVED_ITEMS].map((part) =>
      queryRows(db, part, [id]),
    ),
  )
  return { public_profile: profiles?.[0] ?? null, deleted_collections, removed_items }
}

/**
 * Everything that is held about one person, for that person to take along: ready for JSON, in our column names, without
 * any secret or hash.
 *
 * @returns undefined when there is no such account
 */
export async function exportAccount(db: Database, id: number) {
  const profile = await findAccount(db, id)
  if (!profile) return undefined
  const { has_totp, ...account } = profile
  const trusted_browsers = await listTrustedBrowsers(db, id)
  const uploads = await queryRows(db, SELECT_UPLOADS, [id])
  const [preferences, sessions, consents, passkeys, devices, apps, collections, items, events] =
    await Promise.all([
      getPreferences(db, id),
      db
        .selectFrom('sessions')
        .select(['user_agent', 'address', 'created_at', 'last_used_at', 'expires_at'])
        .where('account_id', '=', id)
        .orderBy('created_at')
        .orderBy('id_hash')
        .execute(),
      db
        .selectFrom('consents')
        .select(['client_id', 'scopes', 'created_at', 'updated_at', 'last_used_at'])
        .where('account_id', '=', id)
        .orderBy('created_at')
        .orderBy('client_id')
        .execute(),
      db
        .selectFrom('passkeys')
        .select(['name', 'created_at', 'last_used_at'])
        .where('account_id', '=', id)
        .orderBy('created_at')
        .orderBy('credential_id')
        .execute(),
      db
        .selectFrom('known_devices')
        .select(['last_used_at', 'language'])
        .where('account_id', '=', id)
        .orderBy('last_used_at')
        .orderBy('device_hash')
        .execute(),
      db
        .selectFrom('apps')
        .select([
          'client_id',
          'client_name',
          'client_uri',
          'logo',
          'redirect_uris',
          'scopes',
          'created_at',
        ])
        .where('account_id', '=', id)
        .orderBy('created_at')
        .orderBy('client_id')
        .execute(),
      db
        .selectFrom('collections')
        .select([
          'id',
          'name',
          'description',
          'is_private',
          'is_default',
          'created_at',
          'updated_at',
        ])
        .where('account_id', '=', id)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),
      db
        .selectFrom('collection_items')
        .select(['collection_id', 'work_id', 'note', 'position', 'added_at', 'updated_at'])
        .where('account_id', '=', id)
        .orderBy('collection_id')
        .orderBy('added_at')
        .orderBy('work_id')
        .execute(),
      listEvents(db, id, { limit: MAX_EVENTS }),
    ])
  return {
    account,
    preferences,
    sessions,
    consents,
    passkeys,
    has_totp,
    known_devices: devices,
    trusted_browsers,
    uploads,
    apps,
    collections,
    collection_items: items,
    ...(await exportShown(db, id)),
    ...(await exportModeration(db, id)),
    ...(await exportRatings(db, id)),
    events,
  }
}
