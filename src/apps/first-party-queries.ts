import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

/** The operator's own programs, made by migration 0006: they alone may hold `developer:apps` (decision 0012). */
export const CONSOLE = 'mokuroku-console'
export const COMMAND_LINE = 'mokuroku-command-line'

/** Where the console signs people in depends on where the service is. */
export const consoleRedirectUri = (baseUrl: string) => `${baseUrl}/console/callback`

/** Gives the console the redirect URI of this installation, when it has another. */
export async function upsertFirstPartyApps(db: Database, baseUrl: string): Promise<void> {
  const redirectUris = JSON.stringify([consoleRedirectUri(baseUrl)])
  await sql`
    update apps
    set redirect_uris = ${redirectUris}::jsonb, updated_at = now()
    where client_id = ${CONSOLE} and redirect_uris <> ${redirectUris}::jsonb
  `.execute(db)
}
