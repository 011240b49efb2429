import type { Language } from '../../pages/languages.ts'
import { FROM, TEXTS, type MailKind } from './texts.ts'

/** What a mail says: plain text, nothing else to trust. */
export type Letter = { subject: string; text: string }

export type LetterFacts = {
  link?: string | undefined
  /** Of the client that made the change the mail is about. */
  address?: string | undefined
  userAgent?: string | undefined
}

const MAX_USER_AGENT_LENGTH = 200

/** Puts a mail into words. Nothing is in it that a stranger chose but the name of a browser, on a line of its own. */
export function compose(
  kind: MailKind,
  language: Language,
  { link = '', address, userAgent }: LetterFacts,
): Letter {
  const { subject, body } = TEXTS[language][kind]
  const browser = userAgent?.replaceAll(/\p{C}/gu, ' ').slice(0, MAX_USER_AGENT_LENGTH)
  const from = [address, browser].filter(Boolean).join(', ')
  const filled = body
    .filter((paragraph) => paragraph !== '{from}' || from !== '')
    // Functions: a replacement text would have a meaning for $.
    .map((paragraph) =>
      paragraph.replace('{link}', () => link).replace('{from}', () => `${FROM[language]}: ${from}`),
    )
  return { subject: `mokuroku: ${subject}`, text: `${filled.join('\n\n')}\n` }
}
