import type { Origin } from '../../audit/events.ts'
import type { Database } from '../../db/database.ts'

export type Language = 'en' | 'ja' | 'zh-Hans'

/** What a change that its owner is told by mail needs to know of the request. */
export type ChangeContext = Origin & { language: Language }

/** A mail to an address; its link is made when it is sent. Addresses are as `checkEmail` passes them. */
export type NewMail = { email: string; language: Language } & (
  | {
      kind: 'sign_up'
      details: { name: string; password_hash: string; browser_hash: string; interaction: string | null }
    }
  | { kind: 'reset_password'; details: { interaction: string | null } }
  | { kind: 'change_email'; details: { account_id: number; browser_hash: string | null } }
  | { kind: Notice['kind']; details: NoticeDetails }
)

type NoticeDetails = { address?: string; user_agent?: string }

/** A mail that only tells its reader something. */
export type Notice = {
  kind: 'password_changed' | 'email_changed' | 'new_device' | 'second_factor_changed'
  language: Language
  /** Where it was done from; told in the mail. */
  details?: NoticeDetails
}

/** Writes down a mail to send; belongs into the transaction that wants it. */
export async function enqueueMail(db: Database, { kind, email, language, details }: NewMail): Promise<void> {
  await db
    .insertInto('mails')
    .values({ kind, email, language, details: JSON.stringify(details) })
    .execute()
}

/** The same for a notice, to the address the account has now. */
export async function enqueueNotice(
  db: Database,
  accountId: number,
  { kind, language, details = {} }: Notice,
): Promise<void> {
  const account = await db
    .selectFrom('accounts')
    .select('email')
    .where('id', '=', accountId)
    .executeTakeFirst()
  if (account) await enqueueMail(db, { kind, email: account.email, language, details })
}
