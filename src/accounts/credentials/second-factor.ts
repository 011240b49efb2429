import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Database } from '../../db/database.ts'
import { decrypt, encrypt, type Reseal } from '../../kernel/encryption.ts'
import { throttleKeys, consumeAttempt, resetAttempts } from '../sign-in/login-throttle.ts'
import { lockSession } from '../sign-in/lock-session.ts'
import { deleteTrustedBrowsers } from '../sign-in/trusted-browsers.ts'
import { recordAndNotify, type ChangeContext } from '../mail/outbox/outbox.ts'
import {
  countRecoveryCodes,
  fingerprintRecoveryCodes,
  replaceRecoveryCodes,
  redeemRecoveryCode,
} from './recovery-codes.ts'
import { isTotpSecret, findTimeStep } from './totp.ts'

/** The row that the encrypted secret is bound to. */
const boundTo = (accountId: number) => `totp ${accountId}`

/** By the clock of the transaction, as the mail about it. */
const NOTE_ADDED = statement('accounts.note_added').sql(
  'update accounts set totp_added_at = now() where id = $1',
)

export type TotpConfirmation = ChangeContext & {
  /** As `startTotp` gave it. */
  secret: string
  /** What the authenticator app shows for it. */
  code: string
  secretKey: string | undefined
  now?: number
  /** That asks for it (`holdSession`). */
  session?: string
}

/**
 * Turns the second factor on, when the code shows that the authenticator app has the secret.
 *
 * @returns the recovery codes, the only time they can be had; undefined when the code is wrong, or there is an
 *   authenticator app already
 */
export async function confirmTotp(
  db: Database,
  accountId: number,
  { secret, code, secretKey, now = Date.now(), session, ...context }: TotpConfirmation,
): Promise<string[] | undefined> {
  const step = isTotpSecret(secret) ? findTimeStep(secret, code, now) : undefined
  if (step === undefined) return undefined
  return inTransaction(db, async (trx) => {
    await lockSession(trx, accountId, session)
    const { numUpdatedRows } = await trx
      .updateTable('accounts')
      .set({ totp_secret: encrypt(secret, boundTo(accountId), secretKey), totp_last_step: step })
      .where('id', '=', accountId)
      .where('totp_secret', 'is', null)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return undefined
    await queryRows(trx, NOTE_ADDED, [accountId])
    await deleteTrustedBrowsers(trx, accountId)
    await recordAndNotify(
      trx,
      accountId,
      { kind: 'second_factor_added' },
      'second_factor_changed',
      context,
    )
    return replaceRecoveryCodes(trx, accountId)
  })
}

/** Turns the second factor off, recovery codes included; whether it was on. */
export async function disableTotp(
  db: Database,
  accountId: number,
  context: ChangeContext,
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('accounts')
      .set({ totp_secret: null, totp_last_step: 0, totp_added_at: null })
      .where('id', '=', accountId)
      .where('totp_secret', 'is not', null)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    await trx.deleteFrom('recovery_codes').where('account_id', '=', accountId).execute()
    await deleteTrustedBrowsers(trx, accountId)
    await recordAndNotify(
      trx,
      accountId,
      { kind: 'second_factor_removed' },
      'second_factor_changed',
      context,
    )
    return true
  })
}

/**
 * Gives an account new recovery codes in place of the old ones, and tells its owner.
 *
 * @param session that asks for it (`holdSession`)
 * @param mark of those that are to be replaced (`markOfRecoveryCodes`)
 * @returns undefined when it has others by now: a form that is sent again voids nothing that was printed
 */
export function renewRecoveryCodes(
  db: Database,
  accountId: number,
  { session, mark, ...context }: ChangeContext & { session?: string; mark?: string },
): Promise<string[] | undefined> {
  return inTransaction(db, async (trx) => {
    await lockSession(trx, accountId, session)
    if (mark !== undefined && mark !== (await fingerprintRecoveryCodes(trx, accountId)))
      return undefined
    await recordAndNotify(
      trx,
      accountId,
      { kind: 'recovery_codes_replaced' },
      'second_factor_changed',
      context,
    )
    return replaceRecoveryCodes(trx, accountId)
  })
}

export type CodeCheck = { code: string; secretKey: string | undefined; now?: number }

/**
 * Whether an authenticator app's code is right; each is taken once.
 *
 * @throws {Error} when the secret was encrypted with another `SECRET_KEY`
 */
export async function checkTotp(
  db: Database,
  accountId: number,
  { code, secretKey, now = Date.now() }: CodeCheck,
): Promise<boolean> {
  const row = await db
    .selectFrom('accounts')
    .select('totp_secret')
    .where('id', '=', accountId)
    .executeTakeFirst()
  if (!row?.totp_secret) return false
  const step = findTimeStep(decrypt(row.totp_secret, boundTo(accountId), secretKey), code, now)
  if (step === undefined) return false
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    .set({ totp_last_step: step })
    .where('id', '=', accountId)
    .where('totp_secret', '=', row.totp_secret)
    .where('totp_last_step', '<', step)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export type SecondFactorOutcome =
  | { outcome: 'ok'; by: 'totp' }
  /** `left`: recovery codes that remain. */
  | { outcome: 'ok'; by: 'recovery_code'; left: number }
  | { outcome: 'wrong' }
  | { outcome: 'wait'; seconds: number }

/** Whether a code is right, be it an authenticator app's or a recovery code; tries are counted before it is looked at. */
export async function checkSecondFactor(
  db: Database,
  accountId: number,
  check: CodeCheck,
): Promise<SecondFactorOutcome> {
  const key = throttleKeys.secondFactor(accountId)
  const seconds = await consumeAttempt(db, key)
  if (seconds !== undefined) return { outcome: 'wait', seconds }
  const byTotp = /^\s*(\d\s*){6}$/.test(check.code)
  const right = byTotp
    ? await checkTotp(db, accountId, check)
    : await redeemRecoveryCode(db, accountId, check.code)
  if (!right) return { outcome: 'wrong' }
  await resetAttempts(db, key)
  if (byTotp) return { outcome: 'ok', by: 'totp' }
  return { outcome: 'ok', by: 'recovery_code', left: await countRecoveryCodes(db, accountId) }
}

/** Encrypts the secret of every authenticator app anew, in the transaction `trx`. @returns how many */
export async function resealTotpSecrets(trx: Database, reseal: Reseal): Promise<number> {
  const rows = await trx
    .selectFrom('accounts')
    .select(['id', 'totp_secret'])
    .where('totp_secret', 'is not', null)
    .forUpdate()
    .execute()
  for (const { id, totp_secret } of rows)
    if (totp_secret !== null)
      await trx
        .updateTable('accounts')
        .set({ totp_secret: reseal(totp_secret, boundTo(id)) })
        .where('id', '=', id)
        .execute()
  return rows.length
}
