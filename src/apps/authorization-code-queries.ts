import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

/**
 * Deletes authorization codes that were issued for redirect URIs the app no longer has, because a URI may have been
 * removed after codes leaked there. Call it in the transaction that changes the URIs.
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
