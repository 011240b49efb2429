import type { Database } from '../../db/database.ts'
import { findLanguage } from '../../i18n/languages.ts'
import { getPreferences } from '../preferences/queries.ts'
import { findAccount, findAccountByEmail } from '../queries.ts'
import { compose } from './compose.ts'
import { makeLink, makeMailedLink } from './link-queries.ts'
import { composeModerationMail, isModerationMail } from './moderation-letter.ts'
import type { OutgoingMail } from './outbox/transport.ts'

export type MailRow = {
  id: number
  kind: string
  email: string
  language: string
  details: Record<string, unknown>
  created_at: Date
}

/**
 * Composes a mail of the outbox, and makes its link now, so that no link waits in the outbox.
 *
 * @returns undefined when there is no account (any more) for it
 * @throws {Error} for a kind nobody knows
 */
export async function prepareMail(
  db: Database,
  authUrl: string,
  { id, kind, email, language: languageTag, details, created_at: at }: MailRow,
): Promise<OutgoingMail | undefined> {
  const language = findLanguage(languageTag) ?? 'en'
  const asked = {
    address: text(details['address']) ?? undefined,
    userAgent: text(details['user_agent']) ?? undefined,
    at,
  }
  switch (kind) {
    case 'sign_up': {
      if (await findAccountByEmail(db, email))
        return { id, kind, email, ...compose('already_registered', language, asked) }
      const token = await makeLink(db, {
        purpose: 'sign_up',
        email,
        name: text(details['name']),
        password_hash: text(details['password_hash']),
        browser_hash: text(details['browser_hash']),
        interaction: text(details['interaction']),
      })
      const link = `${authUrl}/sign-up/confirm?token=${token}`
      return { id, kind, email, link, ...compose(kind, language, { ...asked, link }) }
    }
    case 'reset_password': {
      const account = await findAccountByEmail(db, email)
      if (!account) return undefined
      // To the address as the account has it: what was typed may only look the same to PostgreSQL.
      const token = await makeLink(db, {
        purpose: 'reset_password',
        email: account.email,
        account_id: account.id,
        interaction: text(details['interaction']),
      })
      const link = `${authUrl}/reset-password?token=${token}`
      const facts = { ...asked, timeZone: await findTimeZone(db, account.id), link }
      return { id, kind, email: account.email, link, ...compose(kind, language, facts) }
    }
    case 'change_email': {
      const account = await findAccount(db, Number(details['account_id']))
      if (!account) return undefined
      const token = await makeMailedLink(db, id, {
        purpose: 'change_email',
        email,
        account_id: account.id,
        browser_hash: text(details['browser_hash']),
      })
      if (token === undefined) return undefined
      const link = `${authUrl}/account/email/confirm?token=${token}`
      const facts = { ...asked, timeZone: await findTimeZone(db, account.id), link }
      return { id, kind, email, link, ...compose(kind, language, facts) }
    }
    case 'password_changed':
    case 'email_changed':
    case 'new_device':
    case 'second_factor_changed':
    case 'app_registered':
    case 'deletion_requested': {
      // To an address that the account has no more, its link puts it back.
      const owner = await findAccount(db, Number(details['account_id'] ?? 0))
      if (!owner) return { id, kind, email, ...compose(kind, language, asked) }
      const token = await makeMailedLink(db, id, {
        purpose: 'not_me',
        email,
        account_id: owner.id,
        since: at,
      })
      if (token === undefined) return undefined
      const notMe = `${authUrl}/not-me?token=${token}`
      const facts = { ...asked, timeZone: await findTimeZone(db, owner.id), notMe }
      return { id, kind, email, link: notMe, ...compose(kind, language, facts) }
    }
    case 'email_put_back':
      return {
        id,
        kind,
        email,
        ...compose(kind, language, { back: text(details['back']) ?? undefined }),
      }
    default:
      if (isModerationMail(kind))
        return { id, kind, email, ...composeModerationMail(kind, language, authUrl, details) }
      throw new Error(`Mails of the kind ${kind} cannot be sent by this version.`)
  }
}

const findTimeZone = async (db: Database, accountId: number) =>
  (await getPreferences(db, accountId)).time_zone ?? undefined

const text = (value: unknown) => (typeof value === 'string' ? value : null)
