import { sql } from 'kysely'
import { inTransaction } from '../db/transaction.ts'
import { recordEvent, type Origin } from '../audit/events.ts'
import type { Database } from '../db/database.ts'
import { findAccount, type Account } from './queries.ts'
import { setUserDataHidden } from './user-data-queries.ts'

/**
 * Bans an account, hides its ratings and votes, and ends its sessions. Banning it again only changes the reason.
 *
 * @returns the updated account, or undefined if it does not exist
 */
export function banAccount(
  db: Database,
  id: number,
  reason: string,
  origin: Origin = {},
): Promise<Account | undefined> {
  return inTransaction(db, async (trx) => {
    if (!(await lockAccount(trx, id))) return undefined
    await setUserDataHidden(trx, id, true)
    await trx
      .updateTable('accounts')
      .set({
        banned_at: sql`coalesce(banned_at, now())`,
        ban_reason: reason,
        updated_at: sql`now()`,
      })
      .where('id', '=', id)
      .execute()
    await trx.deleteFrom('sessions').where('account_id', '=', id).execute()
    await recordEvent(trx, { kind: 'banned', accountId: id, ...origin, details: { reason } })
    return findAccount(trx, id)
  })
}

/** @returns the updated account, or undefined if there is no banned account with this id */
export function unbanAccount(
  db: Database,
  id: number,
  { reason, ...origin }: Origin & { reason?: string } = {},
): Promise<Account | undefined> {
  return inTransaction(db, async (trx) => {
    const account = await lockAccount(trx, id)
    if (!account?.banned_at) return undefined
    await setUserDataHidden(trx, id, account.deletion_requested_at !== null)
    await trx
      .updateTable('accounts')
      .set({ banned_at: null, ban_reason: null, updated_at: sql`now()` })
      .where('id', '=', id)
      .execute()
    await recordEvent(trx, {
      kind: 'unbanned',
      accountId: id,
      ...origin,
      ...(reason !== undefined && { details: { reason } }),
    })
    return findAccount(trx, id)
  })
}

/**
 * Locks an account, which blocks writes of its ratings and votes until the transaction ends. Lock the account before
 * its ratings, and update it after them. An update sends a signal, and concurrent signals block each other.
 */
export const lockAccount = (trx: Database, id: number) =>
  trx
    .selectFrom('accounts')
    .select(['banned_at', 'deletion_requested_at'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
