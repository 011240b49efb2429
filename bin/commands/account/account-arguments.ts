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

export const WHICH_ACCOUNT = ['<email-or-id>', 'its email address, or its id'] as const

export const PASSWORD_OPTION = [
  '--password-stdin',
  'read the password from standard input;\nwithout it one is made and printed',
] as const

export type PasswordOptions = { passwordStdin?: boolean }

/** The password that is typed, or a new one. @throws {UsageError} when it breaks the rules */
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
    throw new UsageError(`${which} is neither an email address nor an id.`)
  return findAccount(db, id)
}

/** @throws {UsageError} in words for whoever typed it */
export function valueOf<Value>(checked: Checked<Value>, typed = ''): Value {
  if (checked.fault) throw new UsageError(describeFault(checked.fault, typed))
  return checked.value
}

function describeFault({ field, code }: FieldFault, typed: string): string {
  if (field === 'email') return `${typed} is not an email address.`
  if (code === 'password_common')
    return 'That password is one of those that are tried first; choose another.'
  if (code === 'password_is_email') return 'The password must not be the email address.'
  if (field === 'password')
    return `A password has at least ${PASSWORD_LENGTH.min} characters, and at most ${PASSWORD_LENGTH.max}.`
  return 'A name has 1 to 64 characters, none of them control characters.'
}
