import type { Database } from '../../db/database.ts'
import type { Language } from '../../i18n/languages.ts'
import { throttleKeys, countWithinHour } from '../sign-in/login-throttle.ts'
import { enqueueMail, type NewMail } from './outbox/outbox.ts'
import { hashPassword } from '../credentials/passwords.ts'

/** The same, and after the same time, whether there is an account or not. */
export type RequestOutcome = { outcome: 'ok' } | { outcome: 'wait'; seconds: number }

const MAX_MAILS_PER_KIND_AND_HOUR = 3
const MAX_REQUESTS_PER_ADDRESS_AND_HOUR = 20

/** The client that asks: counted by its address, and named in the mail. */
type AskingClient = { address: string; userAgent?: string | undefined }

export type SignUpRequest = AskingClient & {
  /** These three as the rules of the profile pass them. */
  email: string
  name: string
  password: string
  language: Language
  /** `hashToken` of a cookie, to recognize the browser that asked. */
  browserHash: string
  /** The sign-in at an app that waits for this. */
  interaction?: string | null
}

/** Sends a link that makes the account when it is followed, or says that there is one already. */
export async function requestSignUp(db: Database, request: SignUpRequest): Promise<RequestOutcome> {
  const {
    email,
    name,
    password,
    language,
    browserHash,
    interaction = null,
    address,
    userAgent,
  } = request
  const seconds = await countWithinHour(
    db,
    throttleKeys.mailFrom(address),
    MAX_REQUESTS_PER_ADDRESS_AND_HOUR,
  )
  if (seconds !== undefined) return { outcome: 'wait', seconds }
  const password_hash = await hashPassword(password)
  const details = {
    name,
    password_hash,
    browser_hash: browserHash,
    interaction,
    address,
    user_agent: userAgent,
  }
  return enqueueWithinLimit(db, { kind: 'sign_up', email, language, details })
}

export type ResetRequest = AskingClient & {
  email: string
  language: Language
  interaction?: string | null
}

/** Sends a link to choose another password, if there is an account. */
export async function requestPasswordReset(
  db: Database,
  request: ResetRequest,
): Promise<RequestOutcome> {
  const { email, language, interaction = null, address, userAgent } = request
  const seconds = await countWithinHour(
    db,
    throttleKeys.mailFrom(address),
    MAX_REQUESTS_PER_ADDRESS_AND_HOUR,
  )
  if (seconds !== undefined) return { outcome: 'wait', seconds }
  const details = { interaction, address, user_agent: userAgent }
  return enqueueWithinLimit(db, { kind: 'reset_password', email, language, details })
}

export type EmailChangeRequest = AskingClient & {
  accountId: number
  /** The new one. */
  email: string
  language: Language
  browserHash?: string | null
}

/** Sends a link to the new address that makes it the account's. */
export async function requestEmailChange(
  db: Database,
  { accountId, email, language, browserHash = null, address, userAgent }: EmailChangeRequest,
): Promise<RequestOutcome> {
  const seconds = await countWithinHour(
    db,
    throttleKeys.mailFrom(address),
    MAX_REQUESTS_PER_ADDRESS_AND_HOUR,
  )
  if (seconds !== undefined) return { outcome: 'wait', seconds }
  const details = {
    account_id: accountId,
    browser_hash: browserHash,
    address,
    user_agent: userAgent,
  }
  return enqueueWithinLimit(db, { kind: 'change_email', email, language, details })
}

/** The outcome does not say that a mail was left out: strangers must neither flood an address nor find out who did. */
async function enqueueWithinLimit(db: Database, mail: NewMail): Promise<RequestOutcome> {
  const key = throttleKeys.mailTo(mail.kind, mail.email)
  if ((await countWithinHour(db, key, MAX_MAILS_PER_KIND_AND_HOUR)) === undefined)
    await enqueueMail(db, mail)
  return { outcome: 'ok' }
}
