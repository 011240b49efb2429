import type { Database } from '../../db/database.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import { lockAccount } from '../ban-queries.ts'

const LOCK_SESSION = statement('accounts.lock_session').sql(
  'select uid from sessions where uid = $1 and account_id = $2 for key share',
)

/** The browser that requested a change was signed out before the change was stored. */
export class SessionEndedError extends Error {
  constructor() {
    super('The session ended while it made a change.')
  }
}

/**
 * Locks the account, then the session that changes how the account signs in, until the transaction ends.
 * `secureAccount` locks in the same order. Therefore either it sees the change and undoes it, or the change is not
 * made.
 *
 * @param uid of the session; undefined if no browser requested the change
 * @throws {SessionEndedError} if the session has ended
 */
export async function lockSession(
  trx: Database,
  accountId: number,
  uid: string | undefined,
): Promise<void> {
  await lockAccount(trx, accountId)
  if (uid === undefined) return
  const locked = await queryRows(trx, LOCK_SESSION, [uid, accountId])
  if (locked.length === 0) throw new SessionEndedError()
}
