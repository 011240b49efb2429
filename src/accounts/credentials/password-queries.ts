import { sql } from 'kysely'
import { inTransaction } from '../../db/transaction.ts'
import { recordEvent, type Origin } from '../../audit/events.ts'
import type { Database } from '../../db/database.ts'
import { deleteTrustedBrowsers } from '../sign-in/trusted-browsers.ts'
import { deleteLinks } from '../mail/link-queries.ts'
import { revokePersonalTokens } from '../personal-tokens/queries.ts'
import { hashPassword } from './passwords.ts'
import { removeUnconfirmedAccess } from './upstream-identities.ts'

/**
 * Sets a new password, revokes all personal access tokens, forgets trusted browsers, and deletes reset links.
 *
 * @param afterChange runs in the same transaction
 * @returns false if there is no such account
 */
export async function changePassword(
  db: Database,
  id: number,
  password: string,
  origin: Origin = {},
  afterChange: (trx: Database) => Promise<void> = async () => {},
) {
  const password_hash = await hashPassword(password)
  return inTransaction(db, async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('accounts')
      .set({ password_hash, updated_at: sql`now()` })
      .where('id', '=', id)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    await deleteLinks(trx, id, 'reset_password')
    await deleteTrustedBrowsers(trx, id)
    await recordEvent(trx, { kind: 'password_changed', accountId: id, ...origin })
    await revokePersonalTokens(trx, id, 'all', origin)
    await afterChange(trx)
    return true
  })
}

/**
 * Sets a new password through a reset link, ends all sessions, and revokes all personal access tokens. If only a
 * provider had verified the address, also removes every other way into the account.
 *
 * @param email address the link was sent to. Nothing changes if the account's address has changed since.
 * @returns false if nothing changed
 */
export async function resetPassword(
  trx: Database,
  { id, email }: { id: number; email: string },
  password_hash: string,
  origin: Origin,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('accounts')
    .set({
      password_hash,
      updated_at: sql`now()`,
      email_verified_at: sql`coalesce(email_verified_at, now())`,
    })
    .where('id', '=', id)
    .where(sql`fold_email(email)`, '=', sql`fold_email(${email})`)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await trx.deleteFrom('sessions').where('account_id', '=', id).execute()
  await revokePersonalTokens(trx, id, 'all', origin)
  await removeUnconfirmedAccess(trx, id)
  await deleteLinks(trx, id)
  await deleteTrustedBrowsers(trx, id)
  return true
}
