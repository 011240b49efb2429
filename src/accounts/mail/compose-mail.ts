import { deviceName } from '../../ui/device-name.ts'
import type { Language } from '../../i18n/languages.ts'
import { messagesIn } from '../../ui/messages.ts'
import type { ModerationMailKind } from './compose-moderation-mail.ts'
import type { NewMail } from './outbox/outbox.ts'
import { formatTime } from '../../ui/format-time.ts'
import { renderMail, type MailBrand, type MailContent, type MailPart } from './render-mail.ts'

/**
 * Kinds of email: the queued ones, the reply to a sign-up with an address that already has an account, and the one
 * that `mokuroku mail test` sends.
 */
export type MailKind = Exclude<NewMail['kind'], ModerationMailKind> | 'already_registered' | 'test'

/** Text of an email. Without an `ending`, the email tells recipients what to do if they did not make the change. */
type MailTexts = { subject: string; text: string; more?: string; button?: string; ending?: string }

export type MailFacts = {
  link?: string | undefined
  /** IP address of the client that made the change. */
  address?: string | undefined
  userAgent?: string | undefined
  /** Time of the change. */
  at?: Date | undefined
  /** Time zone of the recipient; UTC if undefined. */
  timeZone?: string | undefined
  /** The account's restored address, masked. */
  back?: string | undefined
  /** Link for recipients who did not make the change. */
  notMe?: string | undefined
  /** Source whose update failed. */
  source?: string | undefined
  /** Reason for the failure, in English. */
  error?: string | undefined
}

/**
 * Composes an email. It contains no text that a stranger chose: instead of the user agent, it names the browser if
 * that is a known one.
 */
export function composeMail(
  kind: MailKind,
  language: Language,
  facts: MailFacts,
  brand: MailBrand,
): MailContent {
  const { mails, mailFacts, mailNotMe } = messagesIn(language, brand.name)
  const { subject, text, more, button, ending }: MailTexts = mails[kind]
  const { link, back, notMe } = facts
  const paragraphs = (...texts: (string | undefined)[]) =>
    texts.flatMap((text): MailPart[] => (text === undefined ? [] : [{ text }]))
  return renderMail(brand, language, subject, [
    ...paragraphs(text, more),
    ...(link === undefined ? [] : [{ link, button: button ?? subject }]),
    ...factsOf(language, facts),
    ...(back === undefined ? [] : [{ facts: [[mailFacts.back, back]] } satisfies MailPart]),
    ...paragraphs(ending),
    ...(ending !== undefined
      ? []
      : notMe === undefined
        ? paragraphs(mailNotMe.without)
        : [
            ...paragraphs(kind === 'email_changed' ? mailNotMe.back : mailNotMe.text),
            { link: notMe, button: mailNotMe.button },
          ]),
  ])
}

function factsOf(
  language: Language,
  { address, userAgent, at, timeZone, source, error }: MailFacts,
): MailPart[] {
  if (!address && !userAgent && !source) return []
  const messages = messagesIn(language)
  const texts = messages.mailFacts
  const facts: [string, string][] = []
  if (source) facts.push([texts.source, source])
  if (userAgent) facts.push([texts.device, deviceName(messages, userAgent)])
  if (address) facts.push([texts.address, address])
  if (at) facts.push([texts.time, formatTime({ language, timeZone }, at)])
  if (error) facts.push([texts.error, error])
  return [{ facts }]
}
