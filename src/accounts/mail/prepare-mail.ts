import type { Database } from '../../db/database.ts'
import type { TableRow } from '../../db/tables.ts'
import { findLanguage, type Language } from '../../i18n/languages.ts'
import type { UpstreamIdentity } from '../credentials/upstream-identity.ts'
import { getPreferences } from '../preferences/queries.ts'
import { findAccount, findAccountByEmail } from '../queries.ts'
import { countWaitingAccounts } from '../sign-up/approval-queries.ts'
import { composeMail, type MailFacts, type MailKind } from './compose-mail.ts'
import { createLink, createLinkForMail } from './link-queries.ts'
import { composeModerationMail, isModerationMail } from './compose-moderation-mail.ts'
import { DEFAULT_BRAND, type MailBrand } from './render-mail.ts'
import type { OutgoingMail } from './outbox/transport.ts'

export type MailRow = Pick<
  TableRow<'mails'>,
  'id' | 'kind' | 'email' | 'language' | 'details' | 'created_at'
>

/** How the site presents itself in emails. */
export type MailDefaults = { brand?: MailBrand; defaultLanguage?: Language }

/**
 * Composes an email of the outbox. Its link is created now, so that the outbox stores no links.
 *
 * @returns undefined if the account no longer exists
 * @throws {Error} if the kind is unknown
 */
export async function prepareMail(
  db: Database,
  authUrl: string,
  { id, kind, email, language: languageTag, details, created_at: at }: MailRow,
  { brand = DEFAULT_BRAND, defaultLanguage = 'en' }: MailDefaults = {},
): Promise<OutgoingMail | undefined> {
  const language = findLanguage(languageTag) ?? defaultLanguage
  const detail = (name: string) => text(details[name])
  const facts = {
    address: detail('address') ?? undefined,
    userAgent: detail('user_agent') ?? undefined,
    at,
  }
  const row = { id, kind, email }
  const compose = (template: MailKind, facts: MailFacts, more: Partial<OutgoingMail> = {}) => ({
    ...row,
    ...more,
    ...composeMail(template, language, facts, brand),
  })
  switch (kind) {
    case 'sign_up': {
      if (await findAccountByEmail(db, email)) return compose('already_registered', facts)
      const token = await createLink(db, {
        purpose: 'sign_up',
        email,
        name: detail('name'),
        password_hash: detail('password_hash'),
        // as: `requestSignUp` stored it
        identity: (details['identity'] ?? null) as UpstreamIdentity | null,
        browser_hash: detail('browser_hash'),
        interaction: detail('interaction'),
        // Absent in emails of earlier versions.
        invitation_id: details['invitation_id'] == null ? null : Number(details['invitation_id']),
      })
      const link = `${authUrl}/sign-up/confirm?token=${token}`
      return compose(kind, { ...facts, link }, { link })
    }
    case 'reset_password': {
      const account = await findAccountByEmail(db, email)
      if (!account) return undefined
      const token = await createLink(db, {
        purpose: 'reset_password',
        email: account.email,
        account_id: account.id,
        interaction: detail('interaction'),
      })
      const link = `${authUrl}/reset-password?token=${token}`
      const timeZone = await findTimeZone(db, account.id)
      // Uses the stored address: PostgreSQL may treat a different one as equal to the typed one.
      return compose(kind, { ...facts, timeZone, link }, { link, email: account.email })
    }
    case 'change_email': {
      const owner = await findAccount(db, Number(details['account_id']))
      if (!owner) return undefined
      const token = await createLinkForMail(db, id, {
        purpose: 'change_email',
        email,
        account_id: owner.id,
        browser_hash: detail('browser_hash'),
      })
      if (token === undefined) return undefined
      const link = `${authUrl}/account/email/confirm?token=${token}`
      const timeZone = await findTimeZone(db, owner.id)
      return compose(kind, { ...facts, timeZone, link }, { link })
    }
    case 'password_changed':
    case 'email_changed':
    case 'new_device':
    case 'second_factor_changed':
    case 'provider_changed':
    case 'app_registered':
    case 'token_created':
    case 'feeds_created':
    case 'deletion_requested': {
      const owner = await findAccount(db, Number(details['account_id'] ?? 0))
      if (!owner) return compose(kind, facts)
      // If the email goes to a former address of the account, its link restores that address.
      const link = { purpose: 'not_me', email, account_id: owner.id, since: at } as const
      const token = await createLinkForMail(db, id, link)
      if (token === undefined) return undefined
      const notMe = `${authUrl}/not-me?token=${token}`
      const timeZone = await findTimeZone(db, owner.id)
      return compose(kind, { ...facts, timeZone, notMe }, { link: notMe })
    }
    case 'email_put_back':
      return compose(kind, { back: detail('back') ?? undefined })
    case 'sign_ups_waiting':
      // All of them may have been decided since the email was queued.
      if ((await countWaitingAccounts(db)) === 0) return undefined
      return compose(kind, { link: `${authUrl}/desk/accounts` })
    case 'sign_up_approved':
      return compose(kind, { link: `${authUrl}/sign-in` })
    case 'webhook_disabled':
      return compose(kind, { link: `${authUrl}/console/apps/${detail('client_id')}/webhooks` })
    case 'update_failed': {
      const link = `${authUrl}/desk/imports/${Number(details['run'])}`
      const failure = { source: detail('source') ?? undefined, error: detail('error') ?? undefined }
      return compose(kind, { at, link, ...failure })
    }
    default:
      if (isModerationMail(kind))
        return { ...row, ...composeModerationMail(kind, language, authUrl, details, brand) }
      throw new Error(`This version cannot send mails of the kind ${kind}.`)
  }
}

const findTimeZone = async (db: Database, accountId: number) =>
  (await getPreferences(db, accountId)).time_zone ?? undefined

const text = (value: unknown) => (typeof value === 'string' ? value : null)
