import { sql } from 'kysely'
import { recordEvent, type Origin } from '../audit/events.ts'
import type { Database } from '../db/database.ts'
import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import { DELETIONS_ARE_HELD } from '../db/upkeep/deletion-hold.ts'
import { inLongTransaction } from '../db/server/long-transaction.ts'
import { lockAccount } from './ban-queries.ts'
import { deleteLinks } from './mail/link-queries.ts'
import { recordAndNotify, type NoticeContext } from './mail/outbox/outbox.ts'
import { deleteUserData, setUserDataHidden } from './user-data-queries.ts'

/** Maximum time per statement, in milliseconds. Long-standing users have a lot of data. */
const MAX_DELETION_MS = 30_000

/** Days between the request and the deletion. The owner can cancel the deletion in this time. */
const DELETION_GRACE_DAYS = 7

/** Returns when an account is deleted, given when its owner requested it or its sign-up was declined. */
export const deletionTimeOf = (requestedAt: Date) =>
  new Date(requestedAt.getTime() + DELETION_GRACE_DAYS * 86_400_000)

/**
 * Schedules an account's deletion. From now on it is hidden, signed out everywhere, and no app has access to it.
 * Sessions and grants are deleted permanently: cancelling the deletion does not restore them.
 *
 * @param beforeChange runs in the same transaction before the rest
 * @returns false if there is no such account or its deletion is already scheduled
 */
export function requestDeletion(
  db: Database,
  id: number,
  context: NoticeContext,
  beforeChange: (trx: Database) => Promise<void> = async () => {},
): Promise<boolean> {
  return inLongTransaction(db, MAX_DELETION_MS, async (trx) => {
    const account = await lockAccount(trx, id)
    if (!account || account.deletion_requested_at) return false
    await setUserDataHidden(trx, id, true)
    await beforeChange(trx)
    await endAccess(trx, id)
    await trx
      .updateTable('accounts')
      .set({ deletion_requested_at: sql<Date>`now()`, updated_at: sql<Date>`now()` })
      .where('id', '=', id)
      .execute()
    await recordAndNotify(trx, id, { kind: 'deletion_requested' }, 'deletion_requested', context)
    return true
  })
}

/** Cancels a scheduled deletion. @returns false if none was pending or the account is already gone */
export function cancelDeletion(db: Database, id: number, origin: Origin = {}): Promise<boolean> {
  return inLongTransaction(db, MAX_DELETION_MS, async (trx) => {
    const account = await lockAccount(trx, id)
    if (!account?.deletion_requested_at) return false
    await setUserDataHidden(trx, id, account.banned_at !== null)
    // A sign-in that was in progress when the deletion was requested may have created a session.
    await endAccess(trx, id)
    await trx
      .updateTable('accounts')
      .set({ deletion_requested_at: null, updated_at: sql<Date>`now()` })
      .where('id', '=', id)
      .execute()
    await recordEvent(trx, { kind: 'deletion_cancelled', accountId: id, ...origin })
    return true
  })
}

async function endAccess(trx: Database, id: number) {
  // Deleting consents also deletes their grants, which revokes the access tokens (migration 0005).
  for (const table of [
    'sessions',
    'consents',
    'personal_tokens',
    'private_feeds',
    'trusted_browsers',
    'passkey_challenges',
    'upstream_flows',
  ] as const)
    await trx.deleteFrom(table).where('account_id', '=', id).execute()
  await deleteLinks(trx, id)
}

const GRACE_BEGAN = sql<Date>`now() - make_interval(days => ${DELETION_GRACE_DAYS})`

/** SQL condition that an account's deletion was requested, or its sign-up declined, a week ago. */
const IS_DUE = sql<boolean>`(
  (
    deletion_requested_at <= ${GRACE_BEGAN}
    or (approval_requested_at is not null and declined_at <= ${GRACE_BEGAN})
  )
  and not ${sql.raw(DELETIONS_ARE_HELD)}
)`

/**
 * Deletes the accounts that are due, each in its own transaction, so that an interrupted run leaves no account half
 * deleted.
 *
 * @returns the number of deleted accounts
 */
export async function purgeAccounts(db: Database): Promise<number> {
  const due = await db
    .selectFrom('accounts')
    .select('id')
    .where(IS_DUE)
    .orderBy('id')
    .limit(1_000)
    .execute()
  let deleted = 0
  for (const { id } of due) if (await deleteAccount(db, id, {}, { only: 'due' })) deleted += 1
  return deleted
}

const FIND_UNDECIDED = statement('accounts.find_undecided').returning<{ id: number }>(`
  select id from accounts
  where approval_requested_at < now() - make_interval(days => $1::integer)
    and declined_at is null
    and not ${DELETIONS_ARE_HELD}
  order by id
  limit 1000`)

/** Deletes sign-ups that have waited for approval for the given number of days. @returns the number of deleted accounts */
export async function deleteUndecidedSignUps(db: Database, days: number): Promise<number> {
  let deleted = 0
  for (const { id } of await queryRows(db, FIND_UNDECIDED, [days]))
    if (await deleteAccount(db, id, {}, { only: 'waiting' })) deleted += 1
  return deleted
}

/**
 * Deletes an account and all its data. Its audit events stay, without its name.
 *
 * @param only skips an account that is no longer due or waiting, because it was kept or approved in the meantime
 * @returns false if nothing was deleted
 */
export function deleteAccount(
  db: Database,
  id: number,
  origin: Origin = {},
  { only }: { only?: 'due' | 'waiting' } = {},
): Promise<boolean> {
  return inLongTransaction(db, MAX_DELETION_MS, async (trx) => {
    const account = await trx
      .selectFrom('accounts')
      .select(['approval_requested_at', IS_DUE.as('is_due')])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    if (!account || (only === 'due' && !account.is_due)) return false
    if (only === 'waiting' && !account.approval_requested_at) return false
    await deleteUserData(trx, id)
    await trx.deleteFrom('accounts').where('id', '=', id).execute()
    await recordEvent(trx, { kind: 'account_deleted', ...origin, details: { account_id: id } })
    return true
  })
}
