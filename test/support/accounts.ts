import { hashPassword } from '../../src/accounts/credentials/passwords.ts'
import { insertAccount, type NewAccount } from '../../src/accounts/queries.ts'
import type { Database } from '../../src/db/database.ts'
import { queryText } from '../../src/db/query.ts'

/** The least argon2id takes: a hash says what it cost, so that comparing with one is as quick. */
const CHEAP = { memory: 8, passes: 1, parallelism: 1 }

/** An account whose password costs next to nothing to check, for tests that are not about that cost. @returns its id */
export async function addAccount(
  db: Database,
  { email, name, password, verified = true }: NewAccount,
): Promise<number> {
  const password_hash = await hashPassword(password, CHEAP)
  const id = await insertAccount(db, { email, name, password_hash, verified })
  if (id === undefined) throw new Error(`${email} is taken`)
  return id
}

/** Has all who are signed in, or one of them, have done so longer ago than the desk lets them act for. */
export async function ageSignIns(db: Database, accountId?: number) {
  await queryText(
    db,
    `update sessions
     set payload = jsonb_set(payload::jsonb, '{loginTs}', to_jsonb((payload::jsonb ->> 'loginTs')::integer - 1860))::text
     where $1::bigint is null or account_id = $1`,
    [accountId ?? null],
  )
}
