import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

/**
 * Deletes authorization codes that an app received at redirect URIs it no longer has: a URI may have been removed
 * because codes leaked there. Call it in the transaction that changes the URIs.
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
