import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(argon2)

/** Cost of an argon2id hash: memory in KiB, number of passes, and number of lanes. */
type PasswordCost = { memory: number; passes: number; parallelism: number }

/** OWASP's second recommendation for argon2id: 19 MiB, two passes, one lane. Takes about 30 ms on one core. */
const COST: PasswordCost = { memory: 19_456, passes: 2, parallelism: 1 }
const TAG_LENGTH = 32

/** Returns the argon2id hash of a password in PHC format, which includes its salt and cost. */
export async function hashPassword(password: string, cost = COST): Promise<string> {
  const salt = randomBytes(16)
  const tag = await derive('argon2id', {
    message: password.normalize('NFKC'),
    nonce: salt,
    tagLength: TAG_LENGTH,
    ...cost,
  })
  return phc(salt, tag, cost)
}

/** Returns a hash that no password matches. Comparing with it takes as long as with a real one. */
export const decoyHash = () => phc(Buffer.alloc(16), Buffer.alloc(TAG_LENGTH), COST)

function phc(salt: Uint8Array, tag: Uint8Array, { memory, passes, parallelism }: PasswordCost) {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/** Whether a password matches a hash, compared in constant time. */
export async function passwordMatches(password: string, hash: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', tag = ''] = PHC.exec(hash) ?? []
  const expected = Buffer.from(tag, 'base64')
  if (expected.length === 0) return false
  const actual = await derive('argon2id', {
    message: password.normalize('NFKC'),
    nonce: Buffer.from(salt, 'base64'),
    tagLength: expected.length,
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  })
  return timingSafeEqual(actual, expected)
}

/** Base64 without padding, as in PHC strings. */
const base64 = (bytes: Uint8Array) =>
  Buffer.from(bytes)
    .toString('base64')
    .replace(/={1,2}$/, '')
