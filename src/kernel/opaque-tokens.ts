import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Returns 256 random bits in base64url. */
export const newToken = () => randomBytes(32).toString('base64url')

/** True if the string has the form of a token that `newToken` returns. */
export const isToken = (text: string) => /^[A-Za-z0-9_-]{43}$/.test(text)

/**
 * Returns the SHA-256 of a token or secret in base64url, for storage. A slow hash is not needed, because 256 random
 * bits cannot be guessed.
 */
export const hashToken = (token: string) => hash('sha256', token, 'base64url')

/** Compares two tokens, or two hashes of them, in constant time. */
export function isSameSecret(presented: string, stored: string): boolean {
  const actual = Buffer.from(presented)
  const expected = Buffer.from(stored)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}
