import { sql } from 'kysely'
import { recordEvent, type Origin } from '../audit/events.ts'
import type { Database } from '../db/database.ts'
import { inTransaction } from '../db/transaction.ts'
import { deleteTrustedBrowsers } from './sign-in/trusted-browsers.ts'
import { changePassword } from './credentials/password-queries.ts'

/** Changes that the operator makes for users who are locked out. Each one is recorded in the account's history. */

const BY_OPERATOR = { by: 'operator' }

/** Sets a new password and ends all sessions. @returns false if there is no such account */
export const setPassword = (db: Database, id: number, password: string): Promise<boolean> =>
  changePassword(db, id, password, {}, async (trx) => {
    await trx.deleteFrom('sessions').where('account_id', '=', id).execute()
  })

/**
 * Marks an account's email address as verified, because the operator vouches for it.
 *
 * @returns false if it is already verified, or there is no such account
 */
export function verifyEmail(db: Database, id: number): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('accounts')
      .set({ email_verified_at: sql<Date>`now()`, updated_at: sql<Date>`now()` })
      .where('id', '=', id)
      .where('email_verified_at', 'is', null)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    await recordEvent(trx, { kind: 'email_verified', accountId: id, details: BY_OPERATOR })
    return true
  })
}

export type RemovedFactors = { authenticator: boolean; passkeys: number; recovery_codes: number }

export async function hasFactors(db: Database, id: number): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select
      exists (select from accounts where id = ${id} and totp_secret is not null)
      or exists (select from passkeys where account_id = ${id})
      or exists (select from recovery_codes where account_id = ${id}) as has`.execute(db)
  return rows[0]?.has === true
}

/** Removes the authenticator app, all passkeys and all recovery codes, so that the password is enough to sign in. */
export function resetFactors(
  db: Database,
  id: number,
  { reason, ...origin }: Origin & { reason?: string } = {},
): Promise<RemovedFactors> {
  return inTransaction(db, async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('accounts')
      .set({ totp_secret: null, totp_last_step: 0, totp_added_at: null })
      .where('id', '=', id)
      .where('totp_secret', 'is not', null)
      .executeTakeFirst()
    await deleteTrustedBrowsers(trx, id)
    const codes = await trx
      .deleteFrom('recovery_codes')
      .where('account_id', '=', id)
      .executeTakeFirst()
    const passkeys = await trx
      .deleteFrom('passkeys')
      .where('account_id', '=', id)
      .executeTakeFirst()
    const removed = {
      authenticator: numUpdatedRows > 0n,
      passkeys: Number(passkeys.numDeletedRows),
      recovery_codes: Number(codes.numDeletedRows),
    }
    await recordEvent(trx, {
      kind: 'second_factor_removed',
      accountId: id,
      ...origin,
      details: { ...BY_OPERATOR, ...removed, ...(reason !== undefined && { reason }) },
    })
    return removed
  })
}
