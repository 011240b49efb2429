import { hashPassword } from '../../src/accounts/credentials/passwords.ts'
import { insertAccount, type NewAccount } from '../../src/accounts/queries.ts'
import type { Database } from '../../src/db/database.ts'
import { queryText } from '../../src/db/query.ts'

/** Minimum argon2id parameters. Each hash stores its own parameters, so verification is fast too. */
const MINIMAL_PARAMETERS = { memory: 8, passes: 1, parallelism: 1 }

/**
 * Creates an account whose password is cheap to verify, for tests that do not measure that cost.
 *
 * @returns its id
 */
export async function addAccount(
  db: Database,
  { email, name, password, verified = true }: NewAccount,
): Promise<number> {
  const password_hash = await hashPassword(password, MINIMAL_PARAMETERS)
  const id = await insertAccount(db, { email, name, password_hash, verified })
  if (id === undefined) throw new Error(`${email} is taken`)
  return id
}

/**
 * Moves the sign-in time of all sessions, or of one account's, so far back that moderator actions require a new
 * sign-in.
 */
export async function ageSignIns(db: Database, accountId?: number) {
  await queryText(
    db,
    `update sessions
     set payload = jsonb_set(payload::jsonb, '{loginTs}', to_jsonb((payload::jsonb ->> 'loginTs')::integer - 1860))::text
     where $1::bigint is null or account_id = $1`,
    [accountId ?? null],
  )
}
