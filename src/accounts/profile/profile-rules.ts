import { isAscii, normalizeEmail } from '../email-address.ts'
import { COMMON_PASSWORDS } from '../credentials/common-passwords.ts'
import { isAcceptedDomain } from '../../config/mail-domain.ts'
import { NOT_IN_LINE } from '../../kernel/printable.ts'

/** A rule that the value of a field violates. Pages and commands turn the code into text. */
export type FieldFault =
  | { field: 'email'; code: 'email_invalid' | 'email_domain' }
  | { field: 'name'; code: 'name_invalid' }
  | { field: 'nickname'; code: 'nickname_invalid' }
  | { field: 'picture'; code: 'picture_invalid' }
  | { field: 'bio'; code: 'bio_too_long' | 'bio_invalid' }
  | {
      field: 'password'
      code: 'password_too_short' | 'password_too_long' | 'password_is_email' | 'password_common'
    }

/** The value to store, or the violated rule. */
export type Checked<Value> = { value: Value; fault?: undefined } | { fault: FieldFault }

const MAX_NAME_LENGTH = 64
const MAX_EMAIL_LENGTH = 254
const MAX_PICTURE_LENGTH = 2_048
const MAX_BIO_LENGTH = 1_000
export const PASSWORD_LENGTH = { min: 8, max: 1_000 }

/** Includes characters that have a special meaning in an email header, and lone surrogates. */
const NOT_IN_EMAIL = /[\s\p{C}<>()[\]\\,;:"]/u
/** Same as `NOT_IN_LINE`, except that line feeds, tabs and line separators are allowed. */
const NOT_IN_TEXT = /(?![\n\t])[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u

const lengthOf = (text: string) => [...text].length

const INVALID_EMAIL: Checked<string> = { fault: { field: 'email', code: 'email_invalid' } }

/** Validates a new address and returns it in its stored form, with only ASCII on each side of the @. */
export function checkEmail(text: string): Checked<string> {
  const email = checkTypedEmail(normalizeEmail(text))
  return email.fault || isAscii(email.value) ? email : INVALID_EMAIL
}

/**
 * Validates a new address that users choose themselves.
 *
 * @param domains accepted domains (`SIGN_UP_MAIL_DOMAINS`); empty for all
 */
export function checkChosenEmail(text: string, domains: readonly string[]): Checked<string> {
  const email = checkEmail(text)
  return email.fault || isAcceptedDomain(email.value, domains)
    ? email
    : { fault: { field: 'email', code: 'email_domain' } }
}

/**
 * Validates the address of an existing account as typed: at most 254 characters, with text on each side of a single
 * @.
 */
export function checkTypedEmail(text: string): Checked<string> {
  const value = text.trim()
  const [local = '', domain = '', ...more] = value.split('@')
  const isValid =
    local !== '' &&
    domain !== '' &&
    more.length === 0 &&
    lengthOf(value) <= MAX_EMAIL_LENGTH &&
    !NOT_IN_EMAIL.test(value)
  return isValid ? { value } : INVALID_EMAIL
}

/** Validates a name of 1 to 64 characters after trimming. */
export function checkName(text: string): Checked<string> {
  const value = text.trim()
  return isName(value) ? { value } : { fault: { field: 'name', code: 'name_invalid' } }
}

/** Validates a nickname like a name. An empty one becomes null. */
export function checkNickname(text: string | null): Checked<string | null> {
  const value = text?.trim() || null
  if (value === null || isName(value)) return { value }
  return { fault: { field: 'nickname', code: 'nickname_invalid' } }
}

const isName = (value: string) =>
  value !== '' && lengthOf(value) <= MAX_NAME_LENGTH && !NOT_IN_LINE.test(value)

/** Validates an https URL of at most 2048 characters. An empty one becomes null. */
export function checkPicture(text: string | null): Checked<string | null> {
  const value = text?.trim() || null
  if (value === null) return { value }
  const url = URL.parse(value)
  const isValid = url?.protocol === 'https:' && url.username === '' && url.password === ''
  if (!isValid || url.href.length > MAX_PICTURE_LENGTH)
    return { fault: { field: 'picture', code: 'picture_invalid' } }
  return { value: url.href }
}

/** Validates text of at most 1000 characters, and normalizes its line endings. */
export function checkBio(text: string): Checked<string> {
  const value = text.replaceAll(/\r\n?/g, '\n').trim()
  if (lengthOf(value) > MAX_BIO_LENGTH) return { fault: { field: 'bio', code: 'bio_too_long' } }
  if (NOT_IN_TEXT.test(value)) return { fault: { field: 'bio', code: 'bio_invalid' } }
  return { value }
}

/** Validates a password of 8 to 1000 characters that is neither common nor the email address. */
export function checkNewPassword(password: string, email: string): Checked<string> {
  const length = lengthOf(password)
  const folded = password.toLowerCase()
  const fault = (code: Extract<FieldFault, { field: 'password' }>['code']) =>
    ({ fault: { field: 'password', code } }) as const
  if (length < PASSWORD_LENGTH.min) return fault('password_too_short')
  if (length > PASSWORD_LENGTH.max) return fault('password_too_long')
  if (folded === email.trim().toLowerCase()) return fault('password_is_email')
  if (COMMON_PASSWORDS.has(folded) || /^(.)\1*$/u.test(folded)) return fault('password_common')
  return { value: password }
}
