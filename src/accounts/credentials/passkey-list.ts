import { inTransaction } from '../../db/transaction.ts'
import type { Database } from '../../db/database.ts'
import type { TableRow } from '../../db/tables.ts'
import { lockAccount } from '../ban-queries.ts'
import { recordAndNotify, type ChangeContext } from '../mail/outbox/outbox.ts'
import { isLastSignInMethod } from './upstream-identities.ts'

const COLUMNS = ['credential_id', 'name', 'created_at', 'last_used_at'] as const

export type Passkey = Pick<TableRow<'passkeys'>, (typeof COLUMNS)[number]>

/** Returns an account's passkeys, oldest first. */
export function listPasskeys(db: Database, accountId: number): Promise<Passkey[]> {
  return db
    .selectFrom('passkeys')
    .select(COLUMNS)
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('credential_id')
    .execute()
}

/**
 * Renames a passkey.
 *
 * @param nameOf computes the valid new name from the stored one while the passkey is locked
 * @returns false if the account has no such passkey
 */
export function renamePasskey(
  db: Database,
  accountId: number,
  credentialId: string,
  nameOf: (stored: string) => string,
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const stored = await trx
      .selectFrom('passkeys')
      .select('name')
      .where('account_id', '=', accountId)
      .where('credential_id', '=', credentialId)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (!stored) return false
    await trx
      .updateTable('passkeys')
      .set({ name: nameOf(stored.name) })
      .where('credential_id', '=', credentialId)
      .execute()
    return true
  })
}

/**
 * Deletes a passkey and notifies the owner by email.
 *
 * @returns `last` if the account could then sign in only after a password reset, `gone` if it has no such passkey
 */
export function deletePasskey(
  db: Database,
  accountId: number,
  credentialId: string,
  context: ChangeContext,
): Promise<'done' | 'last' | 'gone'> {
  return inTransaction(db, async (trx) => {
    await lockAccount(trx, accountId)
    if (await isLastSignInMethod(trx, accountId, { passkey: credentialId })) return 'last'
    const deleted = await trx
      .deleteFrom('passkeys')
      .where('account_id', '=', accountId)
      .where('credential_id', '=', credentialId)
      .returning('name')
      .executeTakeFirst()
    if (!deleted) return 'gone'
    const event = { kind: 'passkey_removed', details: { name: deleted.name } } as const
    await recordAndNotify(trx, accountId, event, 'second_factor_changed', context)
    return 'done'
  })
}
