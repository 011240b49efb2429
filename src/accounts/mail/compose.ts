import { deviceName } from '../../pages/device-name.ts'
import type { Language } from '../../i18n/languages.ts'
import { messagesIn } from '../../pages/messages.ts'
import { whenText } from '../../pages/when.ts'
import { toLetter, type Letter, type LetterPart } from './letter.ts'
import { FACTS, NOT_ME, TEXTS, type MailKind } from './texts.ts'

export type LetterFacts = {
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
export function compose(kind: MailKind, language: Language, facts: LetterFacts): Letter {
  const { subject, body, button } = TEXTS[language][kind]
  const parts = body.flatMap((paragraph): LetterPart[] => {
    if (paragraph === '{link}')
      return facts.link === undefined ? [] : [{ link: facts.link, button: button ?? subject }]
    if (paragraph === '{from}') return factsOf(language, facts)
    if (paragraph === '{back}')
      return facts.back === undefined ? [] : [{ facts: [[FACTS[language].back, facts.back]] }]
    if (paragraph === '{not_me}')
      return facts.notMe === undefined
        ? [{ text: NOT_ME[language].without }]
        : [
            { text: kind === 'email_changed' ? NOT_ME[language].back : NOT_ME[language].text },
            { link: facts.notMe, button: NOT_ME[language].button },
          ]
    return [{ text: paragraph }]
  })
  return toLetter(language, subject, parts)
}

function factsOf(language: Language, { address, userAgent, at, timeZone }: LetterFacts): LetterPart[] {
  if (!address && !userAgent) return []
  const words = FACTS[language]
  const facts: [string, string][] = []
  if (userAgent) facts.push([words.device, deviceName(messagesIn(language), userAgent)])
  if (address) facts.push([words.address, address])
  if (at) facts.push([words.time, whenText({ language, timeZone }, at)])
  return [{ facts }]
}
