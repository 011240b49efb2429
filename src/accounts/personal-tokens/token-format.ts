import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Prefix by which secret scanners recognize a personal access token. */
export const PERSONAL_TOKEN_PREFIX = 'mkp_'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Number of random digits in base 62, which have 256 bits. */
const RANDOM_DIGITS = 43
/** Number of digits of a CRC-32 in base 62. */
const CHECKSUM_DIGITS = 6
const PERSONAL_TOKEN = /^mkp_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/

/** Returns `mkp_`, 43 random digits in base 62, and their checksum in 6 digits (decision 0052). */
export function newPersonalToken(): string {
  let random = ''
  while (random.length < RANDOM_DIGITS)
    for (const byte of randomBytes(RANDOM_DIGITS))
      // Bytes of the incomplete last round would make some digits more likely.
      if (byte < 4 * DIGITS.length && random.length < RANDOM_DIGITS)
        random += DIGITS[byte % DIGITS.length]
  return PERSONAL_TOKEN_PREFIX + random + checksumOf(random)
}

/** Whether a string has the form of a personal access token, with the right checksum. */
export function isPersonalToken(text: string): boolean {
  const [, random, checksum] = PERSONAL_TOKEN.exec(text) ?? []
  return random !== undefined && checksumOf(random) === checksum
}

function checksumOf(random: string): string {
  let rest = crc32(random)
  let digits = ''
  while (digits.length < CHECKSUM_DIGITS) {
    digits = (DIGITS[rest % DIGITS.length] ?? '') + digits
    rest = Math.floor(rest / DIGITS.length)
  }
  return digits
}
