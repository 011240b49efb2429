import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { endCodesOfOtherUris } from './code-queries.ts'

/** The operator's own programs, made by migration 0006: they alone may hold `developer:apps` (decision 0012). */
export const CONSOLE = 'mokuroku-console'
export const COMMAND_LINE = 'mokuroku-command-line'

/** Where the console signs people in depends on where the service is. */
export const consoleRedirectUri = (baseUrl: string) => `${baseUrl}/console/callback`

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
