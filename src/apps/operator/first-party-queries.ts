import { sql, type Transaction } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Tables } from '../../db/tables.ts'
import { deleteCodesForOtherUris } from '../authorization-code-queries.ts'
import {
  CONSOLE_CLIENT_ID,
  consoleRedirectUri,
  REFERENCE_CLIENT_ID,
  REFERENCE_SCOPES,
  referenceRedirectUri,
} from './first-party.ts'

/** Creates the operator's apps that are missing, and sets this installation's names and redirect URIs. */
export async function upsertFirstPartyApps(
  db: Database,
  { baseUrl, authUrl, instanceName }: { baseUrl: string; authUrl: string; instanceName: string },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`
      insert into apps
        (client_id, client_name, client_type, application_type, token_endpoint_auth_method, scopes, grant_types)
      values (
        ${REFERENCE_CLIENT_ID}, ${`${instanceName} API reference`}, 'public', 'web', 'none',
        ${JSON.stringify(REFERENCE_SCOPES)}::jsonb, '["authorization_code"]'
      )
      on conflict (client_id) do nothing
    `.execute(trx)
    await setName(trx, CONSOLE_CLIENT_ID, `${instanceName} developer console`)
    await setName(trx, REFERENCE_CLIENT_ID, `${instanceName} API reference`)
    await setRedirectUri(trx, CONSOLE_CLIENT_ID, consoleRedirectUri(baseUrl))
    await setRedirectUri(trx, REFERENCE_CLIENT_ID, referenceRedirectUri(authUrl))
  })
}

/** Names the app after the site, because users see the name when they allow it. */
const setName = (trx: Transaction<Tables>, clientId: string, name: string) =>
  trx
    .updateTable('apps')
    .set({ client_name: name })
    .where('client_id', '=', clientId)
    .where('client_name', '<>', name)
    .execute()

/** Also revokes authorization codes issued for another URI. */
async function setRedirectUri(trx: Transaction<Tables>, clientId: string, redirectUri: string) {
  const text = JSON.stringify([redirectUri])
  const { numAffectedRows = 0n } = await sql`
    update apps
    set redirect_uris = ${text}::jsonb, updated_at = now()
    where client_id = ${clientId} and redirect_uris <> ${text}::jsonb
  `.execute(trx)
  if (numAffectedRows > 0n) await deleteCodesForOtherUris(trx, clientId, [redirectUri])
}
