import { randomBytes } from 'node:crypto'
import type { Database } from '../../../db/database.ts'
import { decrypt, encrypt, type Reseal } from '../../../kernel/encryption.ts'

const NAME = 'cookie_keys'

/**
 * Returns the keys that sign cookies, newest first. All processes of an installation share them. Creates them on first
 * use.
 */
export async function ensureCookieKeys(
  db: Database,
  secretKey: string | undefined,
): Promise<string[]> {
  await db
    .insertInto('installation')
    .values({
      name: NAME,
      value: JSON.stringify({
        keys: encrypt(JSON.stringify([randomBytes(32).toString('base64url')]), NAME, secretKey),
      }),
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return findCookieKeys(db, secretKey)
}

/** Returns the keys that sign cookies, newest first; none before the first start. */
export async function findCookieKeys(
  db: Database,
  secretKey: string | undefined,
): Promise<string[]> {
  const row = await db
    .selectFrom('installation')
    .select('value')
    .where('name', '=', NAME)
    .executeTakeFirst()
  if (!row) return []
  // as: only this module writes the value
  const { keys } = row.value as { keys: string }
  return JSON.parse(decrypt(keys, NAME, secretKey)) as string[]
}

/** Re-encrypts the keys in the transaction `trx`. */
export async function resealCookieKeys(trx: Database, reseal: Reseal): Promise<void> {
  const row = await trx
    .selectFrom('installation')
    .select('value')
    .where('name', '=', NAME)
    .forUpdate()
    .executeTakeFirst()
  if (!row) return
  // as: only this module writes the value
  const { keys } = row.value as { keys: string }
  await trx
    .updateTable('installation')
    .set({ value: JSON.stringify({ keys: reseal(keys, NAME) }) })
    .where('name', '=', NAME)
    .execute()
}
