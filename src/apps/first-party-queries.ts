import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { endCodesOfOtherUris } from './code-queries.ts'
import { CONSOLE, consoleRedirectUri } from './first-party.ts'

/** Gives the console the redirect URI of this installation, when it has another. */
export async function upsertFirstPartyApps(db: Database, baseUrl: string): Promise<void> {
  const redirectUris = [consoleRedirectUri(baseUrl)]
  const text = JSON.stringify(redirectUris)
  await db.transaction().execute(async (trx) => {
    const { numAffectedRows = 0n } = await sql`
      update apps
      set redirect_uris = ${text}::jsonb, updated_at = now()
      where client_id = ${CONSOLE} and redirect_uris <> ${text}::jsonb
    `.execute(trx)
    if (numAffectedRows > 0n) await endCodesOfOtherUris(trx, CONSOLE, redirectUris)
  })
}
