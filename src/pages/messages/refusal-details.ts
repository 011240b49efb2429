import type { Language } from '../../i18n/languages.ts'

/**
 * What exactly a refused request did not meet: as the program says it in English, in Japanese and in Chinese. `{0}`, `{1}`
 * stand for what differs from one request to the next. Of two that fit the earlier is meant.
 */
export type DetailWords = readonly [english: string, japanese: string, chinese: string]

/** A language that needs other words than the program's own. */
export type TranslatedLanguage = Exclude<Language, 'en'>

/**
 * What the first of the rows that fits says in a language.
 *
 * @param tell puts what differs from one to the next into words, in its order
 * @returns undefined when none fits
 */
export function explainDetail(
  language: TranslatedLanguage,
  rows: readonly DetailWords[],
  text: string,
  tell: (values: string[]) => string[] = (values) => values,
): string | undefined {
  for (const row of rows) {
    const values = valuesIn(text, row[0].split(/\{\d\}/))
    if (values) return fill(language === 'ja' ? row[1] : row[2], tell(values))
  }
  return undefined
}

/** What stands between the literals, each as early as it can be; undefined when the text is another. In time linear to the text. */
function valuesIn(text: string, literals: string[]): string[] | undefined {
  const [first = '', ...others] = literals
  const last = others.pop()
  if (last === undefined) return text === first ? [] : undefined
  if (!text.startsWith(first) || !text.endsWith(last)) return undefined
  const values = []
  let from = first.length
  for (const literal of others) {
    const at = text.indexOf(literal, from + 1)
    if (at === -1) return undefined
    values.push(text.slice(from, at))
    from = at + literal.length
  }
  const end = text.length - last.length
  return end > from ? [...values, text.slice(from, end)] : undefined
}

const fill = (words: string, values: string[]) =>
  words.replaceAll(/\{(\d)\}/g, (_all, index: string) => values[Number(index)] ?? '')

/** The same of what is wrong with a field, whose name is the first word. */
export function explainField(
  language: TranslatedLanguage,
  rows: readonly DetailWords[],
  text: string,
): string | undefined {
  const space = text.indexOf(' ')
  const said = space > 0 ? explainDetail(language, rows, text.slice(space + 1)) : undefined
  return said === undefined ? undefined : `${text.slice(0, space)}：${said}`
}
