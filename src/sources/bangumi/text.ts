/**
 * Cleans text for storage: removes NUL and lone surrogates, which PostgreSQL rejects, normalizes line endings to `\n`,
 * and trims. Keeps the ideographic space that indents the first paragraph, because the other paragraphs also start
 * with one.
 */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\0', '')
    .replace(/\r\n?/g, '\n')
    .replace(/^[ \t\n]+/, '')
    .trimEnd()
}

/** Converts full-width digits, letters, brackets and signs for matching. The result is not meant for display. */
export function toHalfWidth(text: string): string {
  return text.normalize('NFKC')
}

/** Returns the first number in a string, ignoring thousands separators. */
export function firstNumber(text: string): number | undefined {
  const digits = /\d[\d,]*(\.\d+)?/.exec(toHalfWidth(text))?.[0]
  return digits === undefined ? undefined : Number(digits.replaceAll(',', ''))
}

/** Returns the distinct strings in order, without empty and unwanted ones. */
export function distinctTexts(texts: Iterable<string>, unwanted: string[] = []): string[] {
  const distinct = new Set([...texts].map((text) => text.trim()))
  for (const text of ['', ...unwanted]) distinct.delete(text)
  return [...distinct]
}

/** Parts of a summary. `original` is in Japanese or Korean; the rest, `translated`, is Chinese on this wiki. */
export type Summary = { original: string; translated: string }

/**
 * Separates the languages of a summary. Many summaries contain two, separated by a line of dashes. Chinese text with
 * Japanese titles also contains kana, so the share of kana decides (`isOriginal`).
 */
export function splitSummary(text: string): Summary {
  const parts = partsOf(cleanText(text)).filter((part) => part !== '')
  return {
    original: parts.filter(isOriginal).join('\n\n'),
    translated: parts.filter((part) => !isOriginal(part)).join('\n\n'),
  }
}

function partsOf(text: string): string[] {
  const lines = text.split('\n')
  const rules = lines.flatMap((line, index) => (/^-+$/.test(line.trim()) ? [index] : []))
  const starts = [0, ...rules.map((index) => index + 1)]
  return starts.map((start, part) => cleanText(lines.slice(start, rules[part]).join('\n')))
}

/**
 * Minimum share of phonetic characters. Japanese text is about half kana; Chinese text with Japanese names has a much
 * smaller share.
 */
const MIN_SHARE = 0.2

function isOriginal(text: string): boolean {
  const phonetic =
    text.match(/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0
  const chinese = text.match(/\p{Script=Han}/gu)?.length ?? 0
  return phonetic > 0 && phonetic / (phonetic + chinese) >= MIN_SHARE
}

/** Returns the language of a title in Japanese or Korean script, which indicates the work's origin. */
export function languageOfScript(title: string): 'ja' | 'ko' | undefined {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(title)) return 'ja'
  if (/\p{Script=Hangul}/u.test(title)) return 'ko'
  return undefined
}
