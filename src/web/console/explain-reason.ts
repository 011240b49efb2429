import type { Language } from '../../pages/languages.ts'
import { CALL_DETAILS } from '../../pages/messages/refusal-details-calls.ts'
import { FIELD_DETAILS } from '../../pages/messages/refusal-details-fields.ts'
import { PROTOCOL_DETAILS } from '../../pages/messages/refusal-details-protocol.ts'
import type { DetailWords } from '../../pages/messages/refusal-details.ts'

/** One thing a request did not meet; in English where there are no other words for it. */
export type Detail = { text: string; language: Language }

/** What stands between two of them (`note-refused-call.ts`). */
const BETWEEN = ' · '

/** Puts a reason that was kept in English into the reader's language, with what it names. */
export const explainReason = (language: Language, reason: string): Detail[] =>
  reason.split(BETWEEN).map((text) => {
    const explained = language === 'en' ? undefined : explain(language, text)
    return explained === undefined ? { text, language: 'en' } : { text: explained, language }
  })

function explain(language: 'ja' | 'zh-Hans', text: string): string | undefined {
  const inLanguage = ([, japanese, chinese]: DetailWords) => (language === 'ja' ? japanese : chinese)
  for (const row of [...PROTOCOL_DETAILS, ...CALL_DETAILS]) {
    const values = valuesIn(text, literalsOf(row[0]))
    if (values) return fill(inLanguage(row), values)
  }
  for (const row of FIELD_DETAILS) {
    const [field, ...values] = valuesIn(text, literalsOf(`{f} ${row[0]}`)) ?? []
    if (field !== undefined) return `${field}：${fill(inLanguage(row), values)}`
  }
  return undefined
}

const literalsOf = (pattern: string) => pattern.split(/\{[f\d]\}/)

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
