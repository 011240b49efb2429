import type { Database } from '../../db/database.ts'
import { findLanguage } from '../../pages/languages.ts'
import { getPreferences } from '../preferences/queries.ts'
import { findAccount, findAccountByEmail } from '../queries.ts'
import { compose } from './compose.ts'
import { makeLink, makeMailedLink } from './link-queries.ts'
import { composeModerationMail, isModerationMail } from './moderation-texts.ts'
import type { OutgoingMail } from './transport.ts'

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
  switch (kind) {
    case 'sign_up': {
      if (await findAccountByEmail(db, email))
        return { id, kind, email, ...compose('already_registered', language, {}) }
      const token = await makeLink(db, {
        purpose: 'sign_up',
        email,
        name: text(details['name']),
        password_hash: text(details['password_hash']),
        browser_hash: text(details['browser_hash']),
        interaction: text(details['interaction']),
      })
      const link = `${authUrl}/sign-up/confirm?token=${token}`
      return { id, kind, email, link, ...compose(kind, language, { link }) }
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
      return { id, kind, email: account.email, link, ...compose(kind, language, { link }) }
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
      return { id, kind, email, link, ...compose(kind, language, { link }) }
    }
    case 'password_changed':
    case 'email_changed':
    case 'new_device':
    case 'second_factor_changed':
    case 'app_registered':
    case 'deletion_requested': {
      const address = text(details['address']) ?? undefined
      const userAgent = text(details['user_agent']) ?? undefined
      // To an address that the account has no more, its link puts it back.
      const owner = await findAccount(db, Number(details['account_id'] ?? 0))
      if (!owner) return { id, kind, email, ...compose(kind, language, { address, userAgent, at }) }
      const { time_zone: timeZone } = await getPreferences(db, owner.id)
      const token = await makeMailedLink(db, id, {
        purpose: 'not_me',
        email,
        account_id: owner.id,
        since: at,
      })
      if (token === undefined) return undefined
      const notMe = `${authUrl}/not-me?token=${token}`
      const facts = { address, userAgent, at, timeZone: timeZone ?? undefined, notMe }
      return { id, kind, email, link: notMe, ...compose(kind, language, facts) }
    }
    case 'email_put_back':
      return { id, kind, email, ...compose(kind, language, {}) }
    default:
      if (isModerationMail(kind))
        return { id, kind, email, ...composeModerationMail(kind, language, authUrl, details) }
      throw new Error(`Mails of the kind ${kind} cannot be sent by this version.`)
  }
}

const text = (value: unknown) => (typeof value === 'string' ? value : null)
