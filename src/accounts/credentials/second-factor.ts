import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Database } from '../../db/database.ts'
import { databaseTime } from '../../db/upkeep/database-clock.ts'
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

/** Context that the encrypted secret is bound to. */
const boundTo = (accountId: number) => `totp ${accountId}`

/** Uses the time of the transaction, as the email about it does. */
const NOTE_ADDED = statement('accounts.note_added').sql(
  'update accounts set totp_added_at = now() where id = $1',
)

export type TotpConfirmation = ChangeContext & {
  /** Secret from `generateTotpSecret`. */
  secret: string
  /** Code that the authenticator app shows for it. */
  code: string
  secretKey: string | undefined
  now?: number
  /** Session that makes the change (`lockSession`). */
  session?: string
}

/**
 * Enables the second factor if the code proves that the authenticator app has the secret.
 *
 * @returns the recovery codes, which cannot be read again; undefined if the code is wrong or there already is an
 *   authenticator app
 */
export async function confirmTotp(
  db: Database,
  accountId: number,
  { secret, code, secretKey, now, session, ...context }: TotpConfirmation,
): Promise<string[] | undefined> {
  const step = isTotpSecret(secret)
    ? findTimeStep(secret, code, now ?? (await databaseTime(db)).getTime())
    : undefined
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

/** Disables the second factor and deletes the recovery codes. @returns false if it was not enabled */
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
 * Replaces an account's recovery codes and notifies the owner.
 *
 * @param session session that makes the change (`lockSession`)
 * @param mark fingerprint of the codes to replace (`fingerprintRecoveryCodes`)
 * @returns undefined if those codes have already been replaced, so that resubmitting a form does not invalidate
 * printed codes
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
 * Verifies a code of an authenticator app. Each code is accepted once.
 *
 * @throws {Error} if the secret was encrypted with another `SECRET_KEY`
 */
export async function checkTotp(
  db: Database,
  accountId: number,
  { code, secretKey, now }: CodeCheck,
): Promise<boolean> {
  const row = await db
    .selectFrom('accounts')
    .select('totp_secret')
    .where('id', '=', accountId)
    .executeTakeFirst()
  if (!row?.totp_secret) return false
  const secret = decrypt(row.totp_secret, boundTo(accountId), secretKey)
  const step = findTimeStep(secret, code, now ?? (await databaseTime(db)).getTime())
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
  /** `left`: number of unused recovery codes. */
  | { outcome: 'ok'; by: 'recovery_code'; left: number }
  | { outcome: 'wrong' }
  | { outcome: 'wait'; seconds: number }

/** Verifies a code of an authenticator app or a recovery code. Attempts are counted before the code is compared. */
export async function checkSecondFactor(
  db: Database,
  accountId: number,
  check: CodeCheck,
): Promise<SecondFactorOutcome> {
  const key = throttleKeys.secondFactor(accountId)
  const seconds = await consumeAttempt(db, key)
  if (seconds !== undefined) return { outcome: 'wait', seconds }
  const byTotp = /^\s*(\d\s*){6}$/.test(check.code)
  const isValid = byTotp
    ? await checkTotp(db, accountId, check)
    : await redeemRecoveryCode(db, accountId, check.code)
  if (!isValid) return { outcome: 'wrong' }
  await resetAttempts(db, key)
  if (byTotp) return { outcome: 'ok', by: 'totp' }
  return { outcome: 'ok', by: 'recovery_code', left: await countRecoveryCodes(db, accountId) }
}

/** Re-encrypts the secret of every authenticator app, in the transaction `trx`. @returns number of secrets */
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
