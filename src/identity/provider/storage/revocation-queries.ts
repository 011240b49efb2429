import { sql } from 'kysely'
import { ACCESS_TOKEN_EXPIRY } from '../../../accounts/access-token-expiry.ts'
import type { Database } from '../../../db/database.ts'

/** Returns the ids by which access tokens are rejected before they expire. */
export function listRevocations(db: Database) {
  return db
    .selectFrom('withdrawals')
    .select(['kind', 'subject'])
    .where('expires_at', '>', sql<Date>`now()`)
    .execute()
}

/** Revokes one access token. */
export async function revokeToken(db: Database, tokenId: string) {
  await db
    .insertInto('withdrawals')
    .values({ kind: 'token', subject: tokenId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Returns accounts that were banned so recently that their tokens may not have expired yet. */
export async function listRecentBans(db: Database) {
  const rows = await db
    .selectFrom('accounts')
    .select('id')
    .where('banned_at', '>', sql<Date>`now() - ${ACCESS_TOKEN_EXPIRY}::interval`)
    .execute()
  return rows.map(({ id }) => String(id))
}
