import type { Language } from '../../i18n/languages.ts'
import type { Messages } from '../../ui/messages.ts'

/** Returns the label of a value, or the value itself if it has none. */
export const labelFor = (texts: Record<string, string>, value: string): string =>
  (Object.hasOwn(texts, value) ? texts[value] : undefined) ?? value

/** Returns the label of a role. Unknown roles keep the wording of their source. */
export const roleName = ({ entry }: Messages, role: string | null): string => {
  const name = role === null || role === '' ? 'STAFF' : role
  const known = labelFor(entry.roles, name.toUpperCase())
  return known === name.toUpperCase() ? name : known
}

/** Returns the day of a date, which the API represents as midnight UTC. */
export const dayOf = (time: string) => time.slice(0, 10)

const displayNames = (type: 'region' | 'language', language: Language, code: string) => {
  try {
    return new Intl.DisplayNames(language, { type }).of(code) ?? code
  } catch {
    // The code is invalid in its standard.
    return code
  }
}

export const countryName = (language: Language, code: string) =>
  displayNames('region', language, code)
export const languageName = (language: Language, code: string) =>
  displayNames('language', language, code)

export function formatMoney(language: Language, amount: number, currency: string | null): string {
  try {
    return amount.toLocaleString(language, { style: 'currency', currency: currency ?? 'JPY' })
  } catch {
    return `${amount} ${currency ?? ''}`.trim()
  }
}
