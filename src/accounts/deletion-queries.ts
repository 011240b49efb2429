import { sql } from 'kysely'
import { recordEvent, type Origin } from '../audit/events.ts'
import type { Database } from '../db/database.ts'
import { inLongTransaction } from '../db/server/long-transaction.ts'
import { lockAccount } from './ban-queries.ts'
import { deleteLinks } from './mail/link-queries.ts'
import { recordAndNotify, type ChangeContext } from './mail/outbox/outbox.ts'
import { deleteUserData, setUserDataHidden } from './user-data-queries.ts'

/** In milliseconds: a reader of many years leaves much behind. */
const MAX_DELETION_MS = 30_000

/** Days in which the owner of an account that is to go can keep it. */
const DELETION_GRACE_DAYS = 7

/** When an account is deleted whose owner has asked for it at a moment. */
export const deletionTimeOf = (requestedAt: Date) =>
  new Date(requestedAt.getTime() + DELETION_GRACE_DAYS * 86_400_000)

/**
 * Has an account go in a week. At once it is out of everybody's sight, signed out everywhere, and no app has access to it:
 * what let in is deleted, and is not given back when the account is kept.
 *
 * @param also runs in the same transaction before the rest
 * @returns whether there was an account that was not to go already
 */
export function requestDeletion(
  db: Database,
  id: number,
  context: ChangeContext,
  also: (trx: Database) => Promise<void> = async () => {},
): Promise<boolean> {
  return inLongTransaction(db, MAX_DELETION_MS, async (trx) => {
    const account = await lockAccount(trx, id)
    if (!account || account.deletion_requested_at) return false
    await setUserDataHidden(trx, id, true)
    await also(trx)
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

/** Keeps an account that was to go. @returns whether it was to, and is still there */
export function cancelDeletion(db: Database, id: number, from: Origin = {}): Promise<boolean> {
  return inLongTransaction(db, MAX_DELETION_MS, async (trx) => {
    const account = await lockAccount(trx, id)
    if (!account?.deletion_requested_at) return false
    await setUserDataHidden(trx, id, account.banned_at !== null)
    // A sign-in that was under way when the deletion was asked for may have left a session.
    await endAccess(trx, id)
    await trx
      .updateTable('accounts')
      .set({ deletion_requested_at: null, updated_at: sql<Date>`now()` })
      .where('id', '=', id)
      .execute()
    await recordEvent(trx, { kind: 'deletion_cancelled', accountId: id, ...from })
    return true
  })
}

async function endAccess(trx: Database, id: number) {
  // The grants go with the consents, and their access tokens are refused (migration 0005).
  for (const table of ['sessions', 'consents', 'trusted_browsers', 'passkey_challenges'] as const)
    await trx.deleteFrom(table).where('account_id', '=', id).execute()
  await deleteLinks(trx, id)
}

/**
 * Deletes the accounts whose week is over, each in a transaction of its own: a run that is killed leaves whole accounts.
 *
 * @returns how many were deleted
 */
export async function purgeAccounts(db: Database): Promise<number> {
  const due = await db
    .selectFrom('accounts')
    .select('id')
    .where(
      'deletion_requested_at',
      '<=',
      sql<Date>`now() - make_interval(days => ${DELETION_GRACE_DAYS})`,
    )
    .orderBy('deletion_requested_at')
    .orderBy('id')
    .limit(1_000)
    .execute()
  let deleted = 0
  for (const { id } of due) if (await deleteAccount(db, id, {}, { onlyDue: true })) deleted += 1
  return deleted
}

/**
 * Deletes an account with all that belongs to it; its history stays, without a name.
 *
 * @param onlyDue leaves one that its owner has kept meanwhile
 * @returns whether there was one
 */
export function deleteAccount(
  db: Database,
  id: number,
  from: Origin = {},
  { onlyDue = false }: { onlyDue?: boolean } = {},
): Promise<boolean> {
  return inLongTransaction(db, MAX_DELETION_MS, async (trx) => {
    const account = await trx
      .selectFrom('accounts')
      .select('deletion_requested_at')
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    if (!account || (onlyDue && !account.deletion_requested_at)) return false
    await deleteUserData(trx, id)
    await trx.deleteFrom('accounts').where('id', '=', id).execute()
    await recordEvent(trx, { kind: 'account_deleted', ...from, details: { account_id: id } })
    return true
  })
}
