import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

/**
 * Ends the authorization codes of an app that were given out for other redirect URIs than it has now: whoever took one of
 * them away does not want what was sent there to be worth anything. Called in the transaction that changes them.
 */
export async function deleteCodesForOtherUris(
  trx: Database,
  clientId: string,
  redirectUris: string[],
): Promise<void> {
  await trx
    .deleteFrom('oidc_records')
    .where('client_id', '=', clientId)
    .where('model', '=', 'AuthorizationCode')
    .where(
      sql<boolean>`not (${JSON.stringify(redirectUris)}::jsonb ? (payload::json ->> 'redirectUri'))`,
    )
    .execute()
}
