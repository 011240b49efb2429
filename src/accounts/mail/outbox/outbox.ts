import { recordEvent, type NewEvent, type Origin } from '../../../audit/events.ts'
import type { Database } from '../../../db/database.ts'
import type { Language } from '../../../i18n/languages.ts'
import type { UpstreamIdentity } from '../../credentials/upstream-identity.ts'
import type { MailLanguage } from '../mail-language-queries.ts'
import type { ModerationDetails, ModerationMailKind } from '../compose-moderation-mail.ts'

/** Facts about a request that are recorded in the audit event and in the email about a change. */
export type ChangeContext = Origin & { language: Language }

/** An email to an address that `checkEmail` has validated. Its link is created when the email is sent. */
export type NewMail = { email: string; language: MailLanguage } & (
  | {
      kind: 'sign_up'
      details: ClientDetails & {
        name: string
        /** Null for a sign-up with an identity. */
        password_hash: string | null
        identity?: UpstreamIdentity
        browser_hash: string
        interaction: string | null
        invitation_id: number | null
      }
    }
  | { kind: 'reset_password'; details: ClientDetails & { interaction: string | null } }
  | {
      kind: 'change_email'
      details: ClientDetails & { account_id: number; browser_hash: string | null }
    }
  | { kind: Notice['kind']; details: NoticeDetails }
  | { kind: 'email_put_back'; details: { /** The account's address, masked. */ back: string } }
  | { kind: 'sign_ups_waiting' | 'sign_up_approved'; details: Record<string, never> }
  | { kind: 'webhook_disabled'; details: { client_id: string } }
  | { kind: 'update_failed'; details: { source: string; run: number; error: string } }
  | { kind: ModerationMailKind; details: ModerationDetails }
)

/** The client whose request an email is about. */
export type ClientDetails = { address?: string | undefined; user_agent?: string | undefined }

type NoticeDetails = ClientDetails & {
  /** Account of the recipient, for "this was not me". */
  account_id?: number | undefined
}

/** Like `ChangeContext`, for a change that someone else may have made. */
export type NoticeContext = Origin & { language: MailLanguage }

/** An email that notifies the owner of a change, with the origin of the request. */
export type Notice = NoticeContext & {
  kind:
    | 'password_changed'
    | 'email_changed'
    | 'new_device'
    | 'second_factor_changed'
    | 'provider_changed'
    | 'app_registered'
    | 'token_created'
    | 'feeds_created'
    | 'deletion_requested'
}

/**
 * Adds an email to the outbox. Call it in the transaction of the change it is about.
 *
 * @param notBefore time at which the email is due; undefined for now
 */
export async function enqueueMail(
  db: Database,
  { kind, email, language, details }: NewMail,
  { notBefore }: { notBefore?: Date } = {},
): Promise<void> {
  await db
    .insertInto('mails')
    .values({
      kind,
      email,
      language,
      details: JSON.stringify(details),
      ...(notBefore && { next_attempt_at: notBefore }),
    })
    .execute()
}

/** Records a change to an account in the audit log, and notifies the owner by email. */
export async function recordAndNotify(
  trx: Database,
  accountId: number,
  event: Pick<NewEvent, 'kind' | 'details'>,
  notice: Notice['kind'],
  context: NoticeContext,
): Promise<void> {
  await recordEvent(trx, { ...context, ...event, accountId })
  await enqueueNotice(trx, accountId, { ...context, kind: notice })
}

/** Adds a notice to the outbox, addressed to the account's current address. */
export async function enqueueNotice(
  db: Database,
  accountId: number,
  { kind, language, address, userAgent }: Notice,
): Promise<void> {
  const account = await db
    .selectFrom('accounts')
    .select('email')
    .where('id', '=', accountId)
    .executeTakeFirst()
  const details = { account_id: accountId, address, user_agent: userAgent }
  if (account) await enqueueMail(db, { kind, email: account.email, language, details })
}
