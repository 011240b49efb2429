import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { hashPassword } from './passwords.ts'

export type NewAccount = { email: string; name: string; password: string }

/**
 * Creates an account.
 *
 * @returns its id, or undefined when the e-mail address (whatever its case) has one already
 */
export async function createAccount(
  db: Database,
  { email, name, password }: NewAccount,
): Promise<number | undefined> {
  const password_hash = await hashPassword(password)
  const created = await db
    .insertInto('accounts')
    .values({ email, name, password_hash })
    .onConflict((conflict) => conflict.expression(sql`lower(email)`).doNothing())
    .returning('id')
    .executeTakeFirst()
  return created?.id
}
