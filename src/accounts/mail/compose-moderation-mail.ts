import type { Language } from '../../i18n/languages.ts'
import { messagesIn, type Messages } from '../../ui/messages.ts'
import { renderMail, type MailBrand, type MailContent, type MailPart } from './render-mail.ts'

/** How users can contest a decision: with an appeal on the website, or by writing to the operator. */
const OBJECTIONS = {
  content_hidden: 'appeal',
  content_restored: 'amends',
  appeal_rejected: 'contact',
  account_banned: 'contact',
  account_unbanned: 'amends',
  sign_up_declined: 'contact',
  factors_removed: 'contact',
  sessions_ended: 'contact',
  tokens_revoked: 'contact',
  feeds_removed: 'contact',
  app_disabled: 'contact',
  app_enabled: 'amends',
  app_limited: 'contact',
  endpoint_disabled: 'contact',
  endpoint_enabled: 'amends',
  role_changed: 'contact',
} as const
export type ModerationMailKind = keyof typeof OBJECTIONS

export type ModerationDetails = {
  /** Kind of the hidden content, name of the app, or names of the access tokens. */
  what?: string
  /** Note from the moderator; empty if this reverts an earlier action. */
  note: string
  /** `mailto:` or https address for owners who can no longer sign in. */
  contact?: string
  /** New role of the account; null if its role was removed. */
  role?: string | null
  /** New limit of the app, in requests per minute; null for the usual limit. */
  limit?: number | null
  /** Origin of the webhook endpoint. */
  endpoint?: string | undefined
}

export const isModerationMail = (kind: string): kind is ModerationMailKind =>
  Object.hasOwn(OBJECTIONS, kind)

/** Maximum length, in characters, of a note in an email. The linked page shows the whole note. */
const MAX_NOTE = 1_000

/** Composes the email that tells an owner what moderators did, why, and how to object. */
export function composeModerationMail(
  kind: ModerationMailKind,
  language: Language,
  authUrl: string,
  details: Record<string, unknown>,
  brand: MailBrand,
): MailContent {
  const { moderation: texts, moderationMails } = messagesIn(language, brand.name)
  const { subject, text } = moderationMails[kind]
  const [content = '', note, contact = ''] = ['what', 'note', 'contact'].map((name) =>
    plainText(details[name]),
  )
  const named = new Map(Object.entries(texts.things)).get(content) ?? content
  const fill = (message: string | ((values: { what: string }) => string)) =>
    typeof message === 'string' ? message : message({ what: named })
  const parts: MailPart[] = [{ text: fill(text) }]
  const facts = factsOf(texts, details)
  if (note !== undefined) facts.push([texts.reason, note === '' ? texts.undone : note])
  if (facts.length > 0) parts.push({ facts })
  const { appeal, ...others } = texts.objections
  const objection = OBJECTIONS[kind]
  if (objection === 'appeal')
    parts.push({ text: appeal }, { link: `${authUrl}/reports`, button: texts.appeal })
  // Falls back to the service's own address if the operator has configured none.
  else parts.push({ text: others[objection]({ contact: contact || authUrl }) })
  return renderMail(brand, language, fill(subject), parts)
}

/** Returns the new role, the new request limit or the changed endpoint as facts of the email; empty for other actions. */
function factsOf(
  texts: Messages['moderation'],
  { role, limit, endpoint }: Record<string, unknown>,
): [name: string, value: string][] {
  if (role === null || role === 'MODERATOR' || role === 'ADMIN')
    return [[texts.role, texts.roles[role ?? 'none']]]
  if (limit === null || typeof limit === 'number')
    return [[texts.limit, limit === null ? texts.usual : String(limit)]]
  if (typeof endpoint === 'string') return [[texts.endpoint, endpoint]]
  return []
}

const plainText = (value: unknown): string | undefined =>
  typeof value === 'string'
    ? value
        .replaceAll(/\p{Cc}+/gu, ' ')
        .slice(0, MAX_NOTE)
        .replace(/^mailto:/, '')
    : undefined
