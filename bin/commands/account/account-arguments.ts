import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import {
  checkNewPassword,
  PASSWORD_LENGTH,
  type Checked,
  type FieldFault,
} from '../../../src/accounts/profile/profile-rules.ts'
import { findAccount, findAccountByEmail, type Account } from '../../../src/accounts/queries.ts'
import type { Database } from '../../../src/db/database.ts'
import { UsageError } from '../../usage-error.ts'

export const ACCOUNT_ARGUMENT = ['<email-or-id>', 'email address or ID of the account'] as const

export const PASSWORD_OPTION = [
  '--password-stdin',
  'read the password from standard input;\nby default one is generated and printed',
] as const

export type PasswordOptions = { passwordStdin?: boolean }

/**
 * Returns the password from standard input, or a generated one.
 *
 * @throws {UsageError} if the password breaks the rules
 */
export async function readPassword(
  { passwordStdin }: PasswordOptions,
  email: string,
): Promise<string> {
  const chosen = passwordStdin
    ? (await text(process.stdin)).replace(/\r?\n$/, '')
    : randomBytes(12).toString('base64url')
  return valueOf(checkNewPassword(chosen, email))
}

export async function findByEmailOrId(db: Database, which: string): Promise<Account | undefined> {
  if (which.includes('@')) return findAccountByEmail(db, which)
  const id = Number(which)
  if (!/^\d+$/.test(which) || !Number.isSafeInteger(id))
    throw new UsageError(`${which} is neither an email address nor an ID.`)
  return findAccount(db, id)
}

/** @throws {UsageError} if the check failed */
export function valueOf<Value>(checked: Checked<Value>, typed = ''): Value {
  if (checked.fault) throw new UsageError(describeFault(checked.fault, typed))
  return checked.value
}

function describeFault({ field, code }: FieldFault, typed: string): string {
  if (field === 'email') return `${typed} is not an email address.`
  if (code === 'password_common') return 'That password is too common. Choose another one.'
  if (code === 'password_is_email') return 'The password must differ from the email address.'
  if (field === 'password')
    return `The password must have ${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters.`
  return 'The name must have 1 to 64 characters and no control characters.'
}
