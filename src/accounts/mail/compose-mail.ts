import { deviceName } from '../../ui/device-name.ts'
import type { Language } from '../../i18n/languages.ts'
import { messagesIn } from '../../ui/messages.ts'
import type { ModerationMailKind } from './compose-moderation-mail.ts'
import type { NewMail } from './outbox/outbox.ts'
import { whenText } from '../../ui/when.ts'
import { renderMail, type MailContent, type MailPart } from './render-mail.ts'

/** Kinds of mail: those that are queued, and the reply to a sign-up for an address that already has an account. */
type MailKind = Exclude<NewMail['kind'], ModerationMailKind> | 'already_registered'

/** A mail without its own ending tells recipients what to do if they did not make the change. */
type MailTexts = { subject: string; text: string; more?: string; button?: string; ending?: string }

export type MailFacts = {
  link?: string | undefined
  /** Of the client that made the change the mail is about. */
  address?: string | undefined
  userAgent?: string | undefined
  /** When it was made. */
  at?: Date | undefined
  /** The reader's; missing: UTC. */
  timeZone?: string | undefined
  /** The address that an account has again, masked. */
  back?: string | undefined
  /** For whoever did not make it. */
  notMe?: string | undefined
}

/** Puts a mail into words. Nothing is in it that a stranger chose: of the name of a browser only which one of the known it is. */
export function composeMail(kind: MailKind, language: Language, facts: MailFacts): MailContent {
  const { mails, mailFacts, mailNotMe } = messagesIn(language)
  const { subject, text, more, button, ending }: MailTexts = mails[kind]
  const { link, back, notMe } = facts
  const paragraphs = (...texts: (string | undefined)[]) =>
    texts.flatMap((one): MailPart[] => (one === undefined ? [] : [{ text: one }]))
  return renderMail(language, subject, [
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

function factsOf(language: Language, { address, userAgent, at, timeZone }: MailFacts): MailPart[] {
  if (!address && !userAgent) return []
  const messages = messagesIn(language)
  const words = messages.mailFacts
  const facts: [string, string][] = []
  if (userAgent) facts.push([words.device, deviceName(messages, userAgent)])
  if (address) facts.push([words.address, address])
  if (at) facts.push([words.time, whenText({ language, timeZone }, at)])
  return [{ facts }]
}
