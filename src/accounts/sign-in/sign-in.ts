import { queryRow } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import { recordEvent } from '../../audit/events.ts'
import type { Database } from '../../db/database.ts'
import {
  confirmPassword,
  consumeAttempt,
  consumeAttemptFrom,
  throttleKeys,
} from './login-throttle.ts'
import { decoyHash, passwordMatches } from '../credentials/passwords.ts'
import { PASSWORD_LENGTH } from '../profile/profile-rules.ts'
import type { Account } from '../queries.ts'
import { hasEmail, normalizeEmail } from '../email-address.ts'
import { hashToken } from '../../kernel/opaque-tokens.ts'

export type SignInAttempt = {
  email: string
  password: string
  /** IP address of the client (Fastify's `request.ip`). */
  address: string
  userAgent?: string
  /** Device token that `recordSignIn` gave this browser. */
  device?: string | undefined
}

export type SignInOutcome =
  | { outcome: 'ok'; account: Account }
  /** No such account or a wrong password. Callers cannot tell which. */
  | { outcome: 'wrong' }
  | { outcome: 'banned'; account: Account }
  | { outcome: 'wait'; seconds: number }

type CredentialsRow = {
  id: number
  email: string
  /** Null for an account without a password, which no password matches. */
  password_hash: string | null
  known_device: boolean
}

const FIND_CREDENTIALS = statement('accounts.find_credentials').returning<CredentialsRow>(`
  select
    account.id, account.email, account.password_hash,
    exists (
      select from known_devices device where device.account_id = account.id and device.device_hash = $2
    ) as known_device
  from accounts account
  where ${hasEmail('$1', '$3')}`)

/**
 * Verifies an email address and a password. Takes the same time whether or not there is an account, and discloses a
 * ban only with the right password. Attempts are counted before the password is compared. A known device has a
 * separate count, so that strangers who guess cannot lock the owner out.
 */
export async function verifyCredentials(
  db: Database,
  attempt: SignInAttempt,
): Promise<SignInOutcome> {
  const { email, password, address, userAgent, device } = attempt
  // PostgreSQL rejects NUL, which no valid address contains.
  const found = await queryRow(db, FIND_CREDENTIALS, [
    email.replaceAll('\0', ''),
    device === undefined ? '' : hashToken(device),
    normalizeEmail(email.replaceAll('\0', '')),
  ])
  const knownDevice = found !== undefined && device !== undefined && found.known_device
  // Uses the stored address, because PostgreSQL may treat letters as equal that differ in JavaScript.
  const key = knownDevice
    ? throttleKeys.device(hashToken(device), found.id)
    : throttleKeys.account(found?.email ?? email)
  const addressKey = throttleKeys.address(address)
  const seconds = knownDevice
    ? await consumeAttempt(db, key)
    : await consumeAttemptFrom(db, addressKey, key)
  if (seconds !== undefined) return { outcome: 'wait', seconds }

  const isPossible = password.length <= 2 * PASSWORD_LENGTH.max
  const matches = await passwordMatches(
    isPossible ? password : '',
    found?.password_hash ?? decoyHash(),
  )
  const account =
    matches && found?.password_hash != null
      ? await confirmPassword(db, {
          id: found.id,
          passwordHash: found.password_hash,
          key,
          addressKey: knownDevice ? undefined : addressKey,
        })
      : undefined
  if (!account) {
    await recordEvent(db, { kind: 'sign_in_failed', accountId: found?.id, address, userAgent })
    return { outcome: 'wrong' }
  }
  if (account.banned_at) return { outcome: 'banned', account }
  return { outcome: 'ok', account }
}
