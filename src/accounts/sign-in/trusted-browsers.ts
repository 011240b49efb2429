import { MAX_USER_AGENT_LENGTH } from '../../audit/events.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import type { TableRow } from '../../db/tables.ts'
import { hashToken, isToken, newToken } from '../../kernel/opaque-tokens.ts'

/** Browsers that an account has exempted from the second factor. The password is still required. */

/** Days for which a browser is trusted after the second factor has been verified. */
export const TRUST_DAYS = 30
/** Maximum number of trusted browsers per account. A new one replaces the oldest. */
const MAX_BROWSERS = 20

export type TrustedBrowser = Omit<TableRow<'trusted_browsers'>, 'token_hash' | 'account_id'>

const INSERT = statement('accounts.insert_trusted_browser').sql(`
  insert into trusted_browsers (token_hash, account_id, user_agent, address, expires_at)
  values ($1, $2, $3, $4, now() + make_interval(days => $5::integer))`)

const DELETE_OLDEST = statement('accounts.delete_oldest').sql(`
  delete from trusted_browsers
  where id in (
    select id from trusted_browsers where account_id = $1 order by created_at desc, id desc offset $2
  )`)

/** Trusts a browser for an account. @returns the token for the browser's cookie */
export async function trustBrowser(
  db: Database,
  accountId: number,
  { userAgent, address }: { userAgent: string; address: string },
): Promise<string> {
  const token = newToken()
  await queryRows(db, INSERT, [
    hashToken(token),
    accountId,
    userAgent.slice(0, MAX_USER_AGENT_LENGTH),
    address,
    TRUST_DAYS,
  ])
  await queryRows(db, DELETE_OLDEST, [accountId, MAX_BROWSERS])
  return token
}

const USE = statement('accounts.use_trusted_browser').sql(`
  update trusted_browsers set last_used_at = now()
  where account_id = $1 and token_hash = any($2::text[]) and expires_at > now()
  returning id`)

/** Whether the account trusts this browser, according to one of the tokens that it sent. */
export async function isTrustedBrowser(
  db: Database,
  accountId: number,
  tokens: readonly string[],
): Promise<boolean> {
  const hashes = tokens.filter(isToken).map(hashToken)
  if (hashes.length === 0) return false
  return (await queryRows(db, USE, [accountId, hashes])).length > 0
}

const LIST = statement('accounts.trusted_browsers_list').returning<TrustedBrowser>(`
  select id, user_agent, address, created_at, last_used_at, expires_at
  from trusted_browsers
  where account_id = $1 and expires_at > now()
  order by last_used_at desc, id`)

export const listTrustedBrowsers = (db: Database, accountId: number) =>
  queryRows(db, LIST, [accountId])

const DELETE_ONE = statement('accounts.delete_trusted_browser').sql(
  'delete from trusted_browsers where account_id = $1 and id = $2::bigint returning id',
)

/** @returns false if the account did not trust this browser */
export async function deleteTrustedBrowser(
  db: Database,
  accountId: number,
  id: number,
): Promise<boolean> {
  return (await queryRows(db, DELETE_ONE, [accountId, id])).length > 0
}

const DELETE_ALL = statement('accounts.delete_trusted_browsers').sql(
  'delete from trusted_browsers where account_id = $1',
)

/** Stops trusting every browser, because the password or second factor changed or the owner requested it. */
export const deleteTrustedBrowsers = (db: Database, accountId: number) =>
  queryRows(db, DELETE_ALL, [accountId])
