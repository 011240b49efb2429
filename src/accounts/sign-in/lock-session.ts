import type { Database } from '../../db/database.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import { lockAccount } from '../ban-queries.ts'

const HOLD_SESSION = statement('accounts.hold_session').sql(
  'select uid from sessions where uid = $1 and account_id = $2 for key share',
)

/** A browser that asks for a change was signed out, while the change was on its way. */
export class SessionEndedError extends Error {
  constructor() {
    super('The session was ended while a change was made with it.')
  }
}

/**
 * Holds the session that a change of how to sign in is made with until its transaction ends, and the account before it, in the
 * order of `refuseStranger`: either the change is there to be taken back, or it is not made.
 *
 * @param uid of the session; undefined: not asked for by a browser
 * @throws {SessionEndedError} when it was ended
 */
export async function lockSession(
  trx: Database,
  accountId: number,
  uid: string | undefined,
): Promise<void> {
  await lockAccount(trx, accountId)
  if (uid === undefined) return
  const held = await queryRows(trx, HOLD_SESSION, [uid, accountId])
  if (held.length === 0) throw new SessionEndedError()
}
