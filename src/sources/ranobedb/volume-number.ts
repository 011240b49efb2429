/** What a book's title says about its place in the series: a number, or words that are none (`上`, `EX`, `1-3`). */
export type VolumeNumber = { number: number; label: null } | { number: null; label: string }

const PLAIN = /^(?:第|vol(?:ume)?\.?\s*)?\(?(\d{1,3}(?:\.\d{1,2})?)\)?(?:巻)?(?=$|[\s(~:「『<-])/i
const RANGE = /^\(?(\d{1,3}\s*[-~・&]\s*\d{1,3})\)?(?:巻)?(?=$|\s)/
const ROMAN = /^\(?([IVX]{1,6})\)?(?=$|\s)/
const WORDS =
  /^\(?((?:EX|SS|外伝|番外編|短編集)\s*(?:\d+(?:\.\d+)?)?|[上中下前後](?:[巻編篇])?)\)?(?=$|[\s(~:「『<-])/i

/** A number that closes a title in which the name of the series is not found as such. */
const CLOSING = /(?<!\d)(?:\((\d{1,3}(?:\.\d{1,2})?)\)|(\d{1,3}(?:\.\d{1,2})?)巻?)$/

/**
 * The volume number in a book's title, which usually follows the name of the series:
 * `とある魔術の禁書目録(9)`, `覇剣の皇姫アルティーナVII`, `JK無双 2 終わる世界の救い方`.
 *
 * Digits elsewhere are part of a name and no volume: `ゴジラ-1.0`, `Abyss 2 賞金2700億円のVRMMO`.
 *
 * @returns null when the title says nothing, as that of a first volume often does
 */
export function volumeNumberIn(title: string, seriesTitle: string): VolumeNumber | null {
  const book = plain(title)
  const series = plain(seriesTitle)
  const at = series === '' ? -1 : book.lastIndexOf(series)
  if (at < 0) {
    const [, bracketed, bare] = CLOSING.exec(book) ?? []
    return numbered(bracketed ?? bare)
  }
  // The reading of the name may stand between: 落第騎士の英雄譚<キャバルリィ>6.
  const rest = book
    .slice(at + series.length)
    .replace(/^<[^>]*>/, '')
    .replace(/^[\s:,~]+/, '')
  const label = RANGE.exec(rest)?.[1] ?? WORDS.exec(rest)?.[1]
  if (label) return { number: null, label: label.trim() }
  return numbered(PLAIN.exec(rest)?.[1]) ?? numbered(fromRoman(ROMAN.exec(rest)?.[1]))
}

/** One form for full and half width (`４.５`, `（9）`, `Ⅶ`), dashes and tildes, without notes such as 【電子特典付き】. */
function plain(title: string): string {
  return title
    .normalize('NFKC')
    .replaceAll(/【[^【】]*】/g, ' ')
    .replaceAll(/[〜～]/g, '~')
    .replaceAll(/[‐‑–—―]/g, '-')
    .trim()
}

function numbered(digits: string | number | null | undefined): VolumeNumber | null {
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
