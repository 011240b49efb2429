import { hash, randomBytes } from 'node:crypto'
import { inTransaction } from '../../db/transaction.ts'
import type { Database } from '../../db/database.ts'
import { hashToken } from '../../kernel/opaque-tokens.ts'

const CODES = 10
/** Crockford's base32: no i, l, o or u. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const LENGTH = 16

/**
 * Replaces an account's recovery codes.
 *
 * @returns ten codes such as `7k2m-x09a-qf4t-h3we`, of 80 random bits each: the only time they can be had
 */
export function replaceRecoveryCodes(db: Database, accountId: number): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode)
  return inTransaction(db, async (trx) => {
    await trx.deleteFrom('recovery_codes').where('account_id', '=', accountId).execute()
    await trx
      .insertInto('recovery_codes')
      .values(codes.map((code) => ({ account_id: accountId, code_hash: hashToken(plain(code)) })))
      .execute()
    return codes
  })
}

/** Tells the codes that an account has now from those it had or will have, and nothing of what they are. */
export async function fingerprintRecoveryCodes(db: Database, accountId: number): Promise<string> {
  const codes = await db
    .selectFrom('recovery_codes')
    .select('code_hash')
    .where('account_id', '=', accountId)
    .orderBy('code_hash')
    .execute()
  return hash('sha256', codes.map(({ code_hash }) => code_hash).join(), 'base64url')
}

/** Uses up a code, however it is typed; whether it was one. */
export async function redeemRecoveryCode(
  db: Database,
  accountId: number,
  code: string,
): Promise<boolean> {
  const taken = await db
    .deleteFrom('recovery_codes')
    .where('account_id', '=', accountId)
    .where('code_hash', '=', hashToken(plain(code)))
    .returning('account_id')
    .executeTakeFirst()
  return taken !== undefined
}

/** How many codes are left. */
export async function countRecoveryCodes(db: Database, accountId: number): Promise<number> {
  const { left } = await db
    .selectFrom('recovery_codes')
    .select(({ fn }) => fn.countAll<number>().as('left'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return left
}

function newCode() {
  const letters = [...randomBytes(LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')
  return letters.replaceAll(/.{4}(?=.)/g, '$&-')
}

const plain = (code: string) =>
  code.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1')
