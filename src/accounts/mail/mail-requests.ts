import type { Database } from '../../db/database.ts'
import type { Language } from '../../i18n/languages.ts'
import { throttleKeys, consumeHourlyQuota } from '../sign-in/login-throttle.ts'
import { enqueueMail, type ClientDetails, type NewMail } from './outbox/outbox.ts'
import { hashPassword } from '../credentials/passwords.ts'
import type { UpstreamIdentity } from '../credentials/upstream-identity.ts'

/** Outcome of a request for an email. Neither the outcome nor its time depends on whether the account exists. */
export type RequestOutcome = { outcome: 'ok' } | { outcome: 'wait'; seconds: number }

const MAX_MAILS_PER_KIND_AND_HOUR = 3
const MAX_REQUESTS_PER_ADDRESS_AND_HOUR = 20

/**
 * The client that requests an email. Requests are counted by its address. The email names the address and the browser.
 */
type RequestingClient = { address: string; userAgent?: string | undefined }

export type SignUpRequest = RequestingClient & {
  /** Validated by `profile-rules.ts`, like the name and the password. */
  email: string
  name: string
  /** Undefined if the user signs up with an identity at another provider. */
  password?: string | undefined
  identity?: UpstreamIdentity | undefined
  language: Language
  /** `hashToken` of the cookie that identifies the browser that signed up. */
  browserHash: string
  /** Interaction of the app that waits for this sign-up. */
  interaction?: string | null
  invitation?: number | undefined
}

/** Sends a link that creates the account, or a notice that the address already has one. */
export const requestSignUp = (
  db: Database,
  {
    email,
    name,
    password,
    identity,
    language,
    browserHash,
    interaction = null,
    invitation,
    ...client
  }: SignUpRequest,
) =>
  enqueueWithinLimits(db, client, async (clientDetails) => ({
    kind: 'sign_up',
    email,
    language,
    details: {
      name,
      password_hash: password === undefined ? null : await hashPassword(password),
      ...(identity && { identity }),
      browser_hash: browserHash,
      interaction,
      invitation_id: invitation ?? null,
      ...clientDetails,
    },
  }))

export type ResetRequest = RequestingClient & {
  email: string
  language: Language
  interaction?: string | null
}

/** Sends a link for choosing a new password if the address has an account. */
export const requestPasswordReset = (
  db: Database,
  { email, language, interaction = null, ...client }: ResetRequest,
) =>
  enqueueWithinLimits(db, client, (clientDetails) => ({
    kind: 'reset_password',
    email,
    language,
    details: { interaction, ...clientDetails },
  }))

export type EmailChangeRequest = RequestingClient & {
  accountId: number
  /** The new address. */
  email: string
  language: Language
  browserHash?: string | null
}

/** Sends a link to the new address that makes it the address of the account. */
export const requestEmailChange = (
  db: Database,
  { accountId, email, language, browserHash = null, ...client }: EmailChangeRequest,
) =>
  enqueueWithinLimits(db, client, (clientDetails) => ({
    kind: 'change_email',
    email,
    language,
    details: { account_id: accountId, browser_hash: browserHash, ...clientDetails },
  }))

/**
 * Enqueues an email, unless its recipient has already received too many, so that strangers cannot flood an address.
 * The outcome does not reveal whether the email was enqueued.
 */
async function enqueueWithinLimits(
  db: Database,
  { address, userAgent }: RequestingClient,
  toMail: (clientDetails: ClientDetails) => NewMail | Promise<NewMail>,
): Promise<RequestOutcome> {
  const client = throttleKeys.mailFrom(address)
  const seconds = await consumeHourlyQuota(db, client, MAX_REQUESTS_PER_ADDRESS_AND_HOUR)
  if (seconds !== undefined) return { outcome: 'wait', seconds }
  const mail = await toMail({ address, user_agent: userAgent })
  const recipient = throttleKeys.mailTo(mail.kind, mail.email)
  if ((await consumeHourlyQuota(db, recipient, MAX_MAILS_PER_KIND_AND_HOUR)) === undefined)
    await enqueueMail(db, mail)
  return { outcome: 'ok' }
}
