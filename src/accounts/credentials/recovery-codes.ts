import { hash, randomBytes } from 'node:crypto'
import { inTransaction } from '../../db/transaction.ts'
import type { Database } from '../../db/database.ts'
import { hashToken } from '../../kernel/opaque-tokens.ts'

const CODES = 10
/** Crockford's base32, without i, l, o and u. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const LENGTH = 16

/**
 * Replaces an account's recovery codes.
 *
 * @returns ten codes such as `7k2m-x09a-qf4t-h3we`, of 80 random bits each, which cannot be read again
 */
export function replaceRecoveryCodes(db: Database, accountId: number): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode)
  return inTransaction(db, async (trx) => {
    await trx.deleteFrom('recovery_codes').where('account_id', '=', accountId).execute()
    await trx
      .insertInto('recovery_codes')
      .values(
        codes.map((code) => ({ account_id: accountId, code_hash: hashToken(normalizeCode(code)) })),
      )
      .execute()
    return codes
  })
}

/** Returns a fingerprint of the current recovery codes that discloses none of them. */
export async function fingerprintRecoveryCodes(db: Database, accountId: number): Promise<string> {
  const codes = await db
    .selectFrom('recovery_codes')
    .select('code_hash')
    .where('account_id', '=', accountId)
    .orderBy('code_hash')
    .execute()
  return hash('sha256', codes.map(({ code_hash }) => code_hash).join(), 'base64url')
}

/**
 * Redeems a code, whatever its case and spacing.
 *
 * @returns false if it is not valid
 */
export async function redeemRecoveryCode(
  db: Database,
  accountId: number,
  code: string,
): Promise<boolean> {
  const redeemed = await db
    .deleteFrom('recovery_codes')
    .where('account_id', '=', accountId)
    .where('code_hash', '=', hashToken(normalizeCode(code)))
    .returning('account_id')
    .executeTakeFirst()
  return redeemed !== undefined
}

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

const normalizeCode = (code: string) =>
  code.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1')
