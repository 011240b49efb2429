import { isSameEmail } from '../email-address.ts'
import { recordEvent, type Origin } from '../../audit/events.ts'
import type { Database } from '../../db/database.ts'
import { isUniqueViolation } from '../../db/constraint-errors.ts'
import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Language } from '../../i18n/languages.ts'
import { newToken } from '../../kernel/opaque-tokens.ts'
import { removeCredentialsAddedSince } from '../credentials/added-credentials.ts'
import { hashPassword } from '../credentials/passwords.ts'
import { removeUnconfirmedAccess } from '../credentials/upstream-identities.ts'
import { deleteTrustedBrowsers } from '../sign-in/trusted-browsers.ts'
import { createLink, findLink, redeemLink, type MailLink } from './link-queries.ts'
import { findRecipient } from './mail-language-queries.ts'
import { enqueueMail } from './outbox/outbox.ts'

const LOCK_ACCOUNT = statement('accounts.lock_account_to_secure').returning<{ email: string }>(
  'select email from accounts where id = $1 for update',
)

/** The unique index on addresses resolves a race for the address. */
const RESET_ACCOUNT = statement('accounts.reset_account').sql(`
  update accounts
  set
    password_hash = $2,
    email = $3,
    email_verified_at = case when email = $3 then email_verified_at else now() end,
    updated_at = now()
  where id = $1`)

/**
 * Deletes every link that an attacker could use. "This was not me" links about earlier changes stay, because they
 * belong to an earlier owner: if two parties use theirs, the one whose address is older wins.
 */
const DELETE_LINKS = statement('accounts.delete_links_since').sql(
  `delete from links where account_id = $1 and (purpose <> 'not_me' or since >= $2)`,
)
/** Deletes queued emails with such links. The link of an email being sent is created under the lock of the account. */
const DELETE_EMAILS = statement('accounts.delete_mails_since').sql(`
  delete from mails
  where created_at >= $2
    and fold_email(email) <> fold_email($3)
    and (details ->> 'account_id' = $1::text or (kind = 'reset_password' and fold_email(email) = fold_email($4)))`)

export type SecureAccountOutcome =
  /** `resetToken`: token of a link for choosing a new password. */
  | { outcome: 'shut_out'; resetToken: string }
  /** The address that received the email was restored, and a reset link is sent to it. */
  | { outcome: 'put_back'; email: string }
  /** A different account has the address that received the email. Nothing changed, and the link stays valid. */
  | { outcome: 'taken'; email: string }
  | { outcome: 'gone' }

export type SecureAccountRequest = {
  token: string
  origin: Origin
  language: Language
  /**
   * Ends sessions and consents created since the given time, and disables apps that the account has registered since then, in
   * the same transaction.
   *
   * @returns the ids of those apps
   */
  endAccess: (
    trx: Database,
    accountId: number,
    since: Date,
  ) => Promise<{ allowed: string[]; registered: string[] }>
}

/**
 * Secures an account after its owner followed "this was not me" in an email. Works once per link. It restores the
 * address that the email went to, sets a random password, and removes trusted browsers and the sign-in methods added
 * since the change. Older methods stay, because otherwise access to the mailbox alone would be worth as much as both
 * factors (decision 0010).
 */
export async function secureAccount(
  db: Database,
  refusal: SecureAccountRequest,
): Promise<SecureAccountOutcome> {
  const found = await findLink(db, refusal.token, 'not_me')
  if (!found) return { outcome: 'gone' }
  const randomPasswordHash = await hashPassword(newToken())
  try {
    return await db
      .transaction()
      .execute((trx) => resetAccount(trx, found, randomPasswordHash, refusal))
  } catch (error) {
    if (isUniqueViolation(error, 'accounts_email_key'))
      return { outcome: 'taken', email: found.email }
    throw error
  }
}

/** Masks an address so that only its owner recognizes it, because the email may go to an attacker. */
const maskAddress = (email: string) => {
  const at = email.lastIndexOf('@')
  const [initial = ''] = email.slice(0, at)
  return `${initial}•••${email.slice(at)}`
}

async function resetAccount(
  trx: Database,
  { account_id: accountId, email, since }: MailLink,
  randomPasswordHash: string,
  { token, origin, language, endAccess }: SecureAccountRequest,
): Promise<SecureAccountOutcome> {
  const account = await queryRow(trx, LOCK_ACCOUNT, [accountId])
  if (!account || accountId === null || !(await redeemLink(trx, token, 'not_me')))
    return { outcome: 'gone' }
  const currentEmail = account.email
  const recipient = await findRecipient(trx, accountId)
  const isRestored = !isSameEmail(currentEmail, email)
  await queryRows(trx, RESET_ACCOUNT, [
    accountId,
    randomPasswordHash,
    isRestored ? email : currentEmail,
  ])
  await queryRows(trx, DELETE_LINKS, [accountId, since])
  await queryRows(trx, DELETE_EMAILS, [String(accountId), since, email, currentEmail])
  const { authenticator, passkeys, identities, recovery_codes, tokens } =
    await removeCredentialsAddedSince(trx, accountId, since)
  await removeUnconfirmedAccess(trx, accountId)
  const { allowed: apps, registered } = await endAccess(trx, accountId, since)
  await deleteTrustedBrowsers(trx, accountId)
  const details = {
    address_put_back: isRestored,
    authenticator: authenticator !== null,
    passkeys: passkeys.map(({ name }) => name),
    providers: identities.map(({ issuer }) => issuer),
    recovery_codes,
    tokens: tokens.map(({ name }) => name),
    apps,
    registered_apps: registered,
  }
  await recordEvent(trx, { kind: 'not_me', accountId, ...origin, details })
  if (!isRestored) {
    const resetToken = await createLink(trx, {
      purpose: 'reset_password',
      email: currentEmail,
      account_id: accountId,
    })
    return { outcome: 'shut_out', resetToken }
  }
  // Sent by email rather than shown, because the link may have been passed on and the address may have a new owner.
  await enqueueMail(trx, {
    kind: 'reset_password',
    email,
    language,
    details: { interaction: null },
  })
  await enqueueMail(trx, {
    kind: 'email_put_back',
    email: currentEmail,
    // The recipient set this address on the account, and may prefer a different language from the owner's.
    language: recipient?.language ?? language,
    details: { back: maskAddress(email) },
  })
  return { outcome: 'put_back', email }
}
