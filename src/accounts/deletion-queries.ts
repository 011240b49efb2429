import { recordEvent, type Origin } from '../audit/events.ts'
import type { Database } from '../db/database.ts'
import { inLongTransaction } from '../db/long-transaction.ts'
import { deleteRecords } from './reader-data-queries.ts'

/** In milliseconds: a reader of many years leaves much behind. */
const MAX_DELETION_MS = 30_000

/**
 * Deletes an account with all that belongs to it; its history stays, without a name.
 *
 * @returns whether there was one
 */
export function deleteAccount(db: Database, id: number, from: Origin = {}): Promise<boolean> {
  return inLongTransaction(db, MAX_DELETION_MS, async (trx) => {
    if (!(await deleteAccountRow(trx, id))) return false
    await recordEvent(trx, { kind: 'account_deleted', ...from, details: { account_id: id } })
    return true
  })
}

/** The same without a word in the history, as part of a transaction. */
export async function deleteAccountRow(trx: Database, id: number): Promise<boolean> {
  const account = await trx
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!account) return false
  await deleteRecords(trx, id)
  await trx.deleteFrom('accounts').where('id', '=', id).execute()
  return true
}
