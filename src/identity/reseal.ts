import { resealTotpSecrets } from '../accounts/credentials/second-factor.ts'
import { recordEvent } from '../audit/events.ts'
import type { Database } from '../db/database.ts'
import { inLongTransaction } from '../db/server/long-transaction.ts'
import { makeReseal } from '../kernel/encryption.ts'
import { resealWebhookSecrets } from '../webhooks/endpoint-queries.ts'
import { resealCookieKeys } from './provider/storage/cookie-keys.ts'
import { resealSigningKeys } from './tokens/keys.ts'

export type Resealed = { signing_keys: number; authenticators: number; webhooks: number }

/**
 * Re-encrypts every secret in the database in one transaction: signing keys, cookie keys, authenticator apps and
 * webhooks.
 *
 * @param oldKey undefined if the secrets are not encrypted
 * @throws {Error} if a secret is encrypted with neither key
 */
export function resealSecrets(
  db: Database,
  oldKey: string | undefined,
  newKey: string,
): Promise<Resealed> {
  const reseal = makeReseal(oldKey, newKey)
  return inLongTransaction(db, Infinity, async (trx) => {
    const signingKeys = await resealSigningKeys(trx, reseal)
    await resealCookieKeys(trx, reseal)
    const resealed = {
      signing_keys: signingKeys,
      authenticators: await resealTotpSecrets(trx, reseal),
      webhooks: await resealWebhookSecrets(trx, reseal),
    }
    await recordEvent(trx, { kind: 'keys_resealed', details: resealed })
    return resealed
  })
}
