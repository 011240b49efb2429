import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const VERSION = 'v1'
const TAG_LENGTH = 16
/**
 * Info parameter of HKDF for the key that encrypts all secrets in the database. It says "signing keys" because they
 * were the first secrets to be encrypted. Changing it would make stored secrets unreadable. `boundTo` separates the
 * purposes.
 */
const KEY_PURPOSE = 'mokuroku signing keys'

/**
 * Encrypts a string with AES-256-GCM under `SECRET_KEY`. Without a key, returns the string unchanged.
 *
 * @param text must not begin with `v1.`
 * @param boundTo names the row and the purpose, so that a ciphertext cannot be moved to another row
 */
export function encrypt(text: string, boundTo: string, secretKey: string | undefined): string {
  if (!secretKey) return text
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', deriveKey(secretKey), iv).setAAD(
    Buffer.from(boundTo),
  )
  const ciphertext = Buffer.concat([
    cipher.update(text, 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ])
  return [VERSION, iv.toString('base64url'), ciphertext.toString('base64url')].join('.')
}

/**
 * Decrypts a string that `encrypt` returned. Returns a string that was never encrypted unchanged.
 *
 * @throws {Error} if the string is encrypted and `SECRET_KEY` is missing or wrong
 */
export function decrypt(stored: string, boundTo: string, secretKey: string | undefined): string {
  const [version, iv = '', body = ''] = stored.split('.')
  if (version !== VERSION) return stored
  if (!secretKey)
    throw new Error(
      'The signing keys and other secrets in the database are encrypted. Set SECRET_KEY to the value they were encrypted with.',
    )
  const ciphertext = Buffer.from(body, 'base64url')
  try {
    const decipher = createDecipheriv(
      'aes-256-gcm',
      deriveKey(secretKey),
      Buffer.from(iv, 'base64url'),
    )
      .setAAD(Buffer.from(boundTo))
      .setAuthTag(ciphertext.subarray(-TAG_LENGTH))
    return (
      decipher.update(ciphertext.subarray(0, -TAG_LENGTH), undefined, 'utf8') +
      decipher.final('utf8')
    )
  } catch (cause) {
    throw new Error(
      'The signing keys and other secrets in the database were encrypted with a different SECRET_KEY.',
      { cause },
    )
  }
}

/** Re-encrypts a stored string; see `makeReseal`. */
export type Reseal = (stored: string, boundTo: string) => string

/**
 * Returns a function that re-encrypts a string under `newKey`. The string may be stored as plain text, or encrypted
 * under `oldKey` or `newKey`.
 *
 * @throws {Error} on use, if a string is encrypted under neither
 */
export function makeReseal(oldKey: string | undefined, newKey: string): Reseal {
  return (stored, boundTo) => encrypt(open(stored, boundTo), boundTo, newKey)

  function open(stored: string, boundTo: string) {
    for (const key of [newKey, oldKey]) {
      if (key === undefined) continue
      try {
        return decrypt(stored, boundTo, key)
      } catch {
        // Try the next key.
      }
    }
    throw new Error(
      'A secret in the database is encrypted with neither the old key nor SECRET_KEY.',
    )
  }
}

function deriveKey(secretKey: string) {
  return new Uint8Array(hkdfSync('sha256', secretKey, '', KEY_PURPOSE, 32))
}
