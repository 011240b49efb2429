/**
 * Text as it may be stored: no NUL and no lone surrogate (PostgreSQL refuses both), `\n` line ends, trimmed.
 * The ideographic space that indents the first paragraph stays, as it does in the others.
 */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\0', '')
    .replace(/\r\n?/g, '\n')
    .replace(/^[ \t\n]+/, '')
    .trimEnd()
}

/** Full-width digits, letters, brackets and signs in their plain form, for matching; never for showing. */
export function toHalfWidth(text: string): string {
  return text.normalize('NFKC')
}

/** The first number of a text, thousands separators read away; undefined when there is none. */
export function firstNumber(text: string): number | undefined {
  const digits = /\d[\d,]*(\.\d+)?/.exec(toHalfWidth(text))?.[0]
  return digits === undefined ? undefined : Number(digits.replaceAll(',', ''))
}

/** The different texts in their order, without the empty and the unwanted ones. */
export function distinctTexts(texts: Iterable<string>, unwanted: string[] = []): string[] {
  const distinct = new Set([...texts].map((text) => text.trim()))
  for (const text of ['', ...unwanted]) distinct.delete(text)
  return [...distinct]
}

/** `original` is what is written in Japanese or Korean, `translated` the rest, which on this wiki is Chinese. */
export type Summary = { original: string; translated: string }

/**
 * Tells the languages of a summary apart. Many hold both, one after the other with a line `-` between.
 * A text in Chinese that names its Japanese title has kana too; so what counts is their share (`isOriginal`).
 */
export function splitSummary(text: string): Summary {
  const parts = partsOf(cleanText(text)).filter((part) => part !== '')
  return {
    original: parts.filter(isOriginal).join('\n\n'),
    translated: parts.filter((part) => !isOriginal(part)).join('\n\n'),
  }
}

/** Splits a text at lines of dashes. */
function partsOf(text: string): string[] {
  const lines = text.split('\n')
  const rules = lines.flatMap((line, index) => (/^-+$/.test(line.trim()) ? [index] : []))
  const starts = [0, ...rules.map((index) => index + 1)]
  return starts.map((start, part) => cleanText(lines.slice(start, rules[part]).join('\n')))
}

/** Running Japanese is about half kana; a Chinese text that quotes Japanese names stays far below this. */
const MIN_SHARE = 0.2

function isOriginal(text: string): boolean {
  const phonetic =
    text.match(/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0
  const chinese = text.match(/\p{Script=Han}/gu)?.length ?? 0
  return phonetic > 0 && phonetic / (phonetic + chinese) >= MIN_SHARE
}

/** Whether a title is in Japanese or Korean script, which says where the work is from; undefined for any other. */
export function languageOfScript(title: string): 'ja' | 'ko' | undefined {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(title)) return 'ja'
  if (/\p{Script=Hangul}/u.test(title)) return 'ko'
  return undefined
}
