import { inTransaction } from '../../db/transaction.ts'
import { recordEvent } from '../../audit/events.ts'
import type { Database } from '../../db/database.ts'
import { enqueueNotice, type ChangeContext } from '../mail/outbox/outbox.ts'

export type Passkey = {
  credential_id: string
  name: string
  created_at: Date
  last_used_at: Date | null
}

/** An account's passkeys, oldest first. */
export function listPasskeys(db: Database, accountId: number): Promise<Passkey[]> {
  return db
    .selectFrom('passkeys')
    .select(['credential_id', 'name', 'created_at', 'last_used_at'])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('credential_id')
    .execute()
}

/**
 * Renames a passkey.
 *
 * @param nameOf gives the name, as `checkName` passes it, from the stored one while the passkey is locked
 * @returns whether the account has such a passkey
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

/** Deletes a passkey and tells the owner by mail; whether the account had it. */
export function deletePasskey(
  db: Database,
  accountId: number,
  credentialId: string,
  context: ChangeContext,
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const deleted = await trx
      .deleteFrom('passkeys')
      .where('account_id', '=', accountId)
      .where('credential_id', '=', credentialId)
      .returning('name')
      .executeTakeFirst()
    if (!deleted) return false
    const { language: _language, ...origin } = context
    await recordEvent(trx, {
      kind: 'passkey_removed',
      accountId,
      ...origin,
      details: { name: deleted.name },
    })
    await enqueueNotice(trx, accountId, { kind: 'second_factor_changed', ...context })
    return true
  })
}
