import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { randomBytes } from 'node:crypto'
import { recordEvent } from '../../audit/events.ts'
import { holdLock } from '../../db/advisory-locks.ts'
import type { Database } from '../../db/database.ts'
import { databaseTime } from '../../db/upkeep/database-clock.ts'
import { decrypt, encrypt, type Reseal } from '../../kernel/encryption.ts'

/** ES256 signs access tokens, RS256 ID tokens (decision 0003). */
const ALGORITHMS = ['ES256', 'RS256'] as const
type Algorithm = (typeof ALGORITHMS)[number]

export type SigningKey = {
  kid: string
  alg: Algorithm
  signsFrom: Date
  retiredAt: Date | null
  privateJwk: JWK
}

/** Minutes for which a key is published before it is used for signing. Relying parties may cache the JWKS that long. */
const PUBLISH_MINUTES = 10
/**
 * Minutes for which an old key is still accepted after the new one is first used. Longer than the lifetime of any
 * token.
 */
const VERIFY_MINUTES = 75

/**
 * Returns the published keys: first the newest one that may be used for signing, then older ones, and last those that
 * may not be used yet.
 */
export async function listSigningKeys(
  db: Database,
  secretKey: string | undefined,
  now = new Date(),
): Promise<SigningKey[]> {
  const rows = await db
    .selectFrom('signing_keys')
    .select(['kid', 'alg', 'signs_from', 'retired_at', 'private_jwk'])
    .where((key) => key.or([key('retired_at', 'is', null), key('retired_at', '>', now)]))
    // Ordered by age rather than `signs_from`: if a later rotation overtook an earlier one, the keys of the earlier
    // one are never used for signing.
    .orderBy('created_at', 'desc')
    .orderBy('kid')
    .execute()
  const keys = rows.map(({ kid, alg, signs_from, retired_at, private_jwk }) => ({
    kid,
    alg,
    signsFrom: signs_from,
    retiredAt: retired_at,
    // as: `insertKey` stored this JWK
    privateJwk: JSON.parse(decrypt(private_jwk, kid, secretKey)) as JWK,
  }))
  return [
    ...keys.filter(({ signsFrom }) => signsFrom <= now),
    ...keys.filter(({ signsFrom }) => signsFrom > now),
  ]
}

/** Counts the published keys that are stored as plain text. */
export async function countUnsealedKeys(db: Database, now = new Date()): Promise<number> {
  const rows = await db
    .selectFrom('signing_keys')
    .select('kid')
    .where((key) => key.or([key('retired_at', 'is', null), key('retired_at', '>', now)]))
    .where('private_jwk', 'like', '{%')
    .execute()
  return rows.length
}

/** Returns the next time at which a key is first used for signing or is retired. */
export function nextKeyChange(keys: SigningKey[], now = new Date()): Date | undefined {
  const times = keys.flatMap(({ signsFrom, retiredAt }) => [signsFrom, retiredAt ?? signsFrom])
  return times.filter((time) => time > now).toSorted((a, b) => a.getTime() - b.getTime())[0]
}

/** Creates the missing keys. If several processes start together, only one of them creates keys. */
export async function ensureSigningKeys(db: Database, secretKey: string | undefined) {
  await db.transaction().execute(async (trx) => {
    await holdLock(trx, 'signingKeys')
    const rows = await trx
      .selectFrom('signing_keys')
      .select('alg')
      .where('retired_at', 'is', null)
      .execute()
    const missing = ALGORITHMS.filter((alg) => rows.every((row) => row.alg !== alg))
    for (const alg of missing) await insertKey(trx, alg, await databaseTime(trx), secretKey)
  })
}

export type Rotation = { kids: string[]; signsFrom: Date; oldRetiredAt: Date }

export type RotationOptions = {
  /** Uses the new keys for signing at once, before relying parties can have fetched them. */
  now?: boolean | undefined
  /** Withdraws the old keys at once, with every token they signed, after a key has leaked. */
  withdrawOld?: boolean | undefined
}

/**
 * Publishes a new key for each algorithm, and uses it for signing ten minutes later. From then on, the old keys only
 * verify tokens. They are withdrawn once all their tokens have expired.
 *
 * @throws {Error} if `secretKey` is not that of the existing keys, because servers could not decrypt new keys
 * encrypted with a different one
 */
export async function rotateSigningKeys(
  db: Database,
  secretKey: string | undefined,
  { now = false, withdrawOld = false }: RotationOptions = {},
): Promise<Rotation> {
  return db.transaction().execute(async (trx) => {
    await holdLock(trx, 'signingKeys')
    await listSigningKeys(trx, secretKey)
    const requestedAt = await databaseTime(trx)
    const signsFrom = now || withdrawOld ? requestedAt : minutesAfter(requestedAt, PUBLISH_MINUTES)
    const oldRetiredAt = withdrawOld ? requestedAt : minutesAfter(signsFrom, VERIFY_MINUTES)
    await trx
      .updateTable('signing_keys')
      .set({ retired_at: oldRetiredAt })
      .where((key) => key.or([key('retired_at', 'is', null), key('retired_at', '>', oldRetiredAt)]))
      .execute()
    const kids: string[] = []
    for (const alg of ALGORITHMS) kids.push(await insertKey(trx, alg, signsFrom, secretKey))
    await recordEvent(trx, { kind: 'keys_rotated', details: { kids, old_withdrawn: withdrawOld } })
    return { kids, signsFrom, oldRetiredAt }
  })
}

/** Re-encrypts every signing key in the transaction `trx`. @returns number of keys */
export async function resealSigningKeys(trx: Database, reseal: Reseal): Promise<number> {
  await holdLock(trx, 'signingKeys')
  const rows = await trx.selectFrom('signing_keys').select(['kid', 'private_jwk']).execute()
  for (const { kid, private_jwk } of rows)
    await trx
      .updateTable('signing_keys')
      .set({ private_jwk: reseal(private_jwk, kid) })
      .where('kid', '=', kid)
      .execute()
  return rows.length
}

const minutesAfter = (time: Date, minutes: number) => new Date(time.getTime() + minutes * 60_000)

/** Whether the string has the format of our key ids. */
export const isKid = (text: string) => /^[A-Za-z0-9_-]{12}$/.test(text)

async function insertKey(
  trx: Database,
  alg: Algorithm,
  signsFrom: Date,
  secretKey: string | undefined,
) {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  const kid = randomBytes(9).toString('base64url')
  const jwk = JSON.stringify({ ...(await exportJWK(privateKey)), kid, alg, use: 'sig' })
  await trx
    .insertInto('signing_keys')
    .values({ kid, alg, private_jwk: encrypt(jwk, kid, secretKey), signs_from: signsFrom })
    .execute()
  return kid
}
