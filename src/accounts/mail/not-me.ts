import { recordEvent, type Origin } from '../../audit/events.ts'
import type { Database } from '../../db/database.ts'
import { queryRows } from '../../db/query.ts'
import { inTransaction } from '../../db/transaction.ts'
import { newToken } from '../opaque-tokens.ts'
import { hashPassword } from '../credentials/passwords.ts'
import { forgetTrustedBrowsers } from '../sign-in/trusted-browsers.ts'
import { makeLink, takeLink } from './link-queries.ts'

/** The stranger may have changed the address since: it is again that of the mail, unless it is another account's by now. */
const SHUT_OUT = `
  update accounts account
  set
    password_hash = $2,
    email = case
      when exists (select from accounts other where lower(other.email) = lower($3) and other.id <> account.id)
      then account.email
      else $3
    end,
    updated_at = now()
  where account.id = $1
  returning account.id`

/**
 * Shuts out whoever has done what the owner of an account was told of: the password is one that nobody knows from now on, and
 * no browser is trusted.
 *
 * @param token of a link of the purpose `not_me`, which is used up
 * @param endSessions in the same transaction
 * @returns the token of a link with which another password is chosen; undefined when the link is no longer good
 */
export async function refuseStranger(
  db: Database,
  token: string,
  from: Origin,
  endSessions: (trx: Database, accountId: number) => Promise<void>,
): Promise<string | undefined> {
  const nobodyKnows = await hashPassword(newToken())
  return inTransaction(db, async (trx) => {
    const link = await takeLink(trx, token, 'not_me')
    if (!link || link.account_id === null) return undefined
    const { account_id: accountId, email } = link
    const shutOut = await queryRows(trx, SHUT_OUT, [accountId, nobodyKnows, email])
    if (shutOut.length === 0) return undefined
    await endSessions(trx, accountId)
    await forgetTrustedBrowsers(trx, accountId)
    await recordEvent(trx, { kind: 'not_me', accountId, ...from })
    return makeLink(trx, { purpose: 'reset_password', email, account_id: accountId })
  })
}
