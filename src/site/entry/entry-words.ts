import type { Language } from '../../i18n/languages.ts'
import type { Messages } from '../../ui/messages.ts'

/** The word for a value of a set; of one that has none, what sources call it. */
export const wordFor = (words: Record<string, string>, value: string): string =>
  (Object.hasOwn(words, value) ? words[value] : undefined) ?? value

/** What a role is called; roles of sources are written small. */
export const roleName = ({ entry }: Messages, role: string | null): string => {
  const name = role === null || role === '' ? 'STAFF' : role
  const known = wordFor(entry.roles, name.toUpperCase())
  return known === name.toUpperCase() ? name : known
}

/** A day of the wire, which is midnight UTC. */
export const dayOf = (time: string) => time.slice(0, 10)

const displayNames = (type: 'region' | 'language', language: Language, code: string) => {
  try {
    return new Intl.DisplayNames(language, { type }).of(code) ?? code
  } catch {
    // A code that is none of its standard.
    return code
  }
}

export const countryName = (language: Language, code: string) =>
  displayNames('region', language, code)
export const languageName = (language: Language, code: string) =>
  displayNames('language', language, code)

export function moneyText(language: Language, amount: number, currency: string | null): string {
  try {
    return amount.toLocaleString(language, { style: 'currency', currency: currency ?? 'JPY' })
  } catch {
    return `${amount} ${currency ?? ''}`.trim()
  }
}
