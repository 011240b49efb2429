import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import type { Account } from './queries.ts'

export type FoundAccount = Pick<
  Account,
  | 'id'
  | 'email'
  | 'name'
  | 'role'
  | 'banned_at'
  | 'approval_requested_at'
  | 'declined_at'
  | 'created_at'
>

const MAX_FOUND = 50

const SEARCH = statement('accounts.search').returning<FoundAccount>(`
  select id, email, name, role, banned_at, approval_requested_at, declined_at, created_at
  from accounts
  where $1 = '' or id::text = $1 or fold_email(email) = fold_email($1) or strpos(lower(name), lower($1)) > 0
  order by (id::text = $1 or fold_email(email) = fold_email($1)) desc, id desc
  limit ${MAX_FOUND}`)

/**
 * Finds accounts by id, email address or part of a name, exact matches first. An empty string returns the newest
 * accounts.
 */
export const searchAccounts = (db: Database, text: string) => queryRows(db, SEARCH, [text])

const COUNT_OF = statement('accounts.count_of').returning<AccountCounts>(`
  select
    (select count(*) from sessions where account_id = $1 and expires_at > now()) as sessions,
    (select count(*) from apps where account_id = $1) as apps,
    (select count(*) from passkeys where account_id = $1) as passkeys`)

export type AccountCounts = { sessions: number; apps: number; passkeys: number }

export async function getAccountCounts(db: Database, id: number): Promise<AccountCounts> {
  const counts = await queryRow(db, COUNT_OF, [id])
  return counts ?? { sessions: 0, apps: 0, passkeys: 0 }
}
