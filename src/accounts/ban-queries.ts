import { sql } from 'kysely'
import { inTransaction } from '../db/transaction.ts'
import { recordEvent, type Origin } from '../audit/events.ts'
import type { Database } from '../db/database.ts'
import { findAccount, type Account } from './queries.ts'
import { setUserDataHidden } from './user-data-queries.ts'

/**
 * Bans an account, hides what it recorded, and ends its sessions. A second ban only gives another reason.
 *
 * @returns the account as it is now, or undefined when there is none
 */
export function banAccount(
  db: Database,
  id: number,
  reason: string,
  from: Origin = {},
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
    await recordEvent(trx, { kind: 'banned', accountId: id, ...from, details: { reason } })
    return findAccount(trx, id)
  })
}

/** @returns the account as it is now, or undefined when there is none that is banned */
export function unbanAccount(
  db: Database,
  id: number,
  from: Origin & { reason?: string } = {},
): Promise<Account | undefined> {
  const { reason, ...origin } = from
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
 * Holds off who would write a record or a vote for the account, before its records are locked. It is written only after
 * them: that signals the change, and whoever signals holds up all others who do.
 */
export const lockAccount = (trx: Database, id: number) =>
  trx
    .selectFrom('accounts')
    .select(['banned_at', 'deletion_requested_at'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
