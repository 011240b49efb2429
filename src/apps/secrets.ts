import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Prefixes make a leaked id or secret easy to find with grep (decision 0012). */
const CLIENT_ID_PREFIX = 'mk_'
const SECRET_PREFIX = 'mks_'

/** `mk_` and 16 random characters of base64url. */
export const newClientId = () => CLIENT_ID_PREFIX + randomBytes(12).toString('base64url')

/** Whether a text could be the id of an app. */
export const isClientId = (text: string) => /^[A-Za-z0-9_-]{1,64}$/.test(text)

/** `mks_` and 43 random characters of base64url: 256 bits. */
export const newClientSecret = () => SECRET_PREFIX + randomBytes(32).toString('base64url')

/** Of one form as it is shown; sent again, it is known by it. */
export const newFormKey = () => randomBytes(32).toString('base64url')

export const isFormKey = (text: string) => /^[A-Za-z0-9_-]{43}$/.test(text)

/** What is stored of a secret: its SHA-256 in base64url. Nobody can guess 256 random bits, so no slow hash is needed. */
export const hashSecret = (secret: string) => hash('sha256', secret, 'base64url')

/** Placeholder with the length of a hash. It matches no secret. */
export const NO_SECRET_HASH = '.'.repeat(43)

/** Compares two hashes of secrets in constant time. */
export function secretHashesMatch(presented: string, stored: string) {
  const actual = Buffer.from(presented)
  const expected = Buffer.from(stored)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}
