import { recordEvent, type Origin } from '../audit/events.ts'
import type { Database } from '../db/database.ts'
import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Language } from '../i18n/languages.ts'
import { hashToken, isToken, newToken } from '../kernel/opaque-tokens.ts'
import type { TitlePreference } from '../ui/title-preference.ts'
import { lockAccount } from './ban-queries.ts'
import { generationOf, isStaleForm } from './generation.ts'
import { recordAndNotify, type ChangeContext } from './mail/outbox/outbox.ts'
import { lockSession } from './sign-in/lock-session.ts'

/** Prefix by which logs and secret scanners recognize the secret of private feeds. */
const FEED_SECRET_PREFIX = 'mkf_'

export type FeedState = {
  /** When the current addresses were created; null while the feeds are off. */
  created_at: Date | null
  /** Changes with every new secret, and when the owner or an administrator turns off the feeds. */
  generation: number
}

const feedGeneration = (db: Database, accountId: number) =>
  generationOf(db, ['feeds_created', 'feeds_removed'], accountId)

export async function feedState(db: Database, accountId: number): Promise<FeedState> {
  // Read first: addresses created in between make the form stale.
  const generation = await feedGeneration(db, accountId)
  const feeds = await db
    .selectFrom('private_feeds')
    .select('created_at')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return { created_at: feeds?.created_at ?? null, generation }
}

const SAVE_SECRET = statement('accounts.save_feed_secret').sql(`
  insert into private_feeds (account_id, secret_hash) values ($1, $2)
  on conflict (account_id) do update set secret_hash = excluded.secret_hash, created_at = now()`)

/**
 * Creates the secret of an account's feeds, which replaces an earlier one, and notifies the owner by email. Only its
 * hash is stored.
 *
 * @param generation `submittedGeneration` of the form
 * @param session session that makes the change (`lockSession`)
 * @returns undefined if the form is stale because the addresses were created or turned off since
 */
export function createFeedSecret(
  db: Database,
  accountId: number,
  { generation, session }: { generation: string; session: string },
  context: ChangeContext,
): Promise<string | undefined> {
  const secret = FEED_SECRET_PREFIX + newToken()
  return inTransaction(db, async (trx) => {
    await lockSession(trx, accountId, session)
    if (isStaleForm(await feedGeneration(trx, accountId), generation)) return undefined
    await queryRows(trx, SAVE_SECRET, [accountId, hashToken(secret)])
    await recordAndNotify(trx, accountId, { kind: 'feeds_created' }, 'feeds_created', context)
    return secret
  })
}

/** Turns off an account's feeds. @returns false if they were off */
export function turnOffFeeds(
  db: Database,
  accountId: number,
  { reason, ...origin }: Origin & { reason?: string },
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    // Otherwise simultaneous new addresses would not see that the feeds were turned off.
    await lockAccount(trx, accountId)
    const { numDeletedRows } = await trx
      .deleteFrom('private_feeds')
      .where('account_id', '=', accountId)
      .executeTakeFirst()
    if (numDeletedRows === 0n) return false
    const details = reason === undefined ? {} : { reason }
    await recordEvent(trx, { kind: 'feeds_removed', accountId, ...origin, details })
    return true
  })
}

/** Owner of private feeds, with the preferences that decide their content. */
export type FeedOwner = {
  account_id: number
  /** Null if the user has not chosen one; the feed then uses `ui_locales` of the address. */
  language: Language | null
  shows_nsfw: boolean
  title_preference: TitlePreference
}

const FIND_OWNER = statement('accounts.find_feed_owner').returning<FeedOwner>(`
  select
    feeds.account_id, preferences.language,
    coalesce(preferences.shows_nsfw, false) as shows_nsfw,
    coalesce(preferences.title_preference, 'translated') as title_preference
  from private_feeds feeds
  join accounts account on account.id = feeds.account_id
  left join reader_preferences preferences on preferences.account_id = feeds.account_id
  where feeds.secret_hash = $1 and account.banned_at is null and account.deletion_requested_at is null
    and account.approval_requested_at is null`)

/**
 * Finds the active account with a secret. Nothing is cached, so a replaced secret stops working in every process at once.
 * The index compares hashes, so the time of a lookup reveals nothing about secrets.
 */
export async function findFeedOwner(db: Database, secret: string): Promise<FeedOwner | undefined> {
  if (!secret.startsWith(FEED_SECRET_PREFIX)) return undefined
  if (!isToken(secret.slice(FEED_SECRET_PREFIX.length))) return undefined
  return queryRow(db, FIND_OWNER, [hashToken(secret)])
}
