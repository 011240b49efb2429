import { resealTotpSecrets } from '../accounts/credentials/second-factor.ts'
import { recordEvent } from '../audit/events.ts'
import type { Database } from '../db/database.ts'
import { inLongTransaction } from '../db/server/long-transaction.ts'
import { resealer } from '../kernel/encryption.ts'
import { resealCookieKeys } from './provider/storage/cookie-keys.ts'
import { resealSigningKeys } from './tokens/keys.ts'

export type Resealed = { signing_keys: number; authenticators: number }

/**
 * Encrypts everything secret in the database anew, all of it or nothing: signing keys, cookie keys, authenticator apps.
 *
 * @param oldKey undefined: there was none
 * @throws {Error} when something is encrypted with neither
 */
export function resealSecrets(
  db: Database,
  oldKey: string | undefined,
  newKey: string,
): Promise<Resealed> {
  const reseal = resealer(oldKey, newKey)
  return inLongTransaction(db, Infinity, async (trx) => {
    const signingKeys = await resealSigningKeys(trx, reseal)
    await resealCookieKeys(trx, reseal)
    const resealed = {
      signing_keys: signingKeys,
      authenticators: await resealTotpSecrets(trx, reseal),
    }
    await recordEvent(trx, { kind: 'keys_resealed', details: resealed })
    return resealed
  })
}
