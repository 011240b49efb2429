/** Volume number from a book's title, or a label that is not a plain number (`上`, `EX`, `1-3`). */
export type VolumeNumber = { number: number; label: null } | { number: null; label: string }

const PLAIN_NUMBER =
  /^(?:第|vol(?:ume)?\.?\s*)?\(?(\d{1,3}(?:\.\d{1,2})?)\)?(?:巻)?(?=$|[\s(~:「『<-])/i
const NUMBER_RANGE = /^\(?(\d{1,3}\s*[-~・&]\s*\d{1,3})\)?(?:巻)?(?=$|\s)/
const ROMAN_NUMERAL = /^\(?([IVX]{1,6})\)?(?=$|\s)/
const WORD_LABEL =
  /^\(?((?:EX|SS|外伝|番外編|短編集)\s*(?:\d+(?:\.\d+)?)?|[上中下前後](?:[巻編篇])?)\)?(?=$|[\s(~:「『<-])/i

/** Matches a number at the end of a title that does not contain the name of the series. */
const TRAILING_NUMBER = /(?<!\d)(?:\((\d{1,3}(?:\.\d{1,2})?)\)|(\d{1,3}(?:\.\d{1,2})?)巻?)$/

/**
 * Returns the volume number in a book's title. It usually follows the name of the series: `とある魔術の禁書目録(9)`,
 * `覇剣の皇姫アルティーナVII`, `JK無双 2 終わる世界の救い方`.
 *
 * Digits elsewhere belong to a name: `ゴジラ-1.0`, `Abyss 2 賞金2700億円のVRMMO`.
 *
 * @returns null if the title has neither number nor label, which is common for first volumes
 */
export function volumeNumberIn(title: string, seriesTitle: string): VolumeNumber | null {
  const book = normalizeTitle(title)
  const series = normalizeTitle(seriesTitle)
  const at = series === '' ? -1 : book.lastIndexOf(series)
  if (at < 0) {
    const [, bracketed, bare] = TRAILING_NUMBER.exec(book) ?? []
    return numberOrNull(bracketed ?? bare)
  }
  // The reading of the series name may come before the number: 落第騎士の英雄譚<キャバルリィ>6.
  const rest = book
    .slice(at + series.length)
    .replace(/^<[^>]*>/, '')
    .replace(/^[\s:,~]+/, '')
  const label = NUMBER_RANGE.exec(rest)?.[1] ?? WORD_LABEL.exec(rest)?.[1]
  if (label) return { number: null, label: label.trim() }
  return (
    numberOrNull(PLAIN_NUMBER.exec(rest)?.[1]) ??
    numberOrNull(fromRoman(ROMAN_NUMERAL.exec(rest)?.[1]))
  )
}

/** Normalizes width (`４.５`, `（9）`, `Ⅶ`), dashes and tildes, and removes notes such as 【電子特典付き】. */
function normalizeTitle(title: string): string {
  return title
    .normalize('NFKC')
    .replaceAll(/【[^【】]*】/g, ' ')
    .replaceAll(/[〜～]/g, '~')
    .replaceAll(/[‐‑–—―]/g, '-')
    .trim()
}

function numberOrNull(digits: string | number | null | undefined): VolumeNumber | null {
  return digits === null || digits === undefined ? null : { number: Number(digits), label: null }
}

const ROMAN_DIGITS: Record<string, number> = { I: 1, V: 5, X: 10 }

function fromRoman(numeral: string | undefined): number | null {
  if (!numeral) return null
  const values = Array.from(numeral, (digit) => ROMAN_DIGITS[digit] ?? 0)
  return values.reduce(
    (sum, value, at) => sum + (value < (values[at + 1] ?? 0) ? -value : value),
    0,
  )
}
