import { toHalfWidth } from '../text.ts'

/**
 * Parsed title of a volume. `base` is the series title in plain form. `number` is null if the label is not a plain
 * number (`上`, `1-3`, `EX`); otherwise, `label` is `''`.
 */
export type VolumeTitle = { base: string; number: number | null; label: string }

// `plainTitle` leaves only single spaces, so these expressions cannot backtrack over runs of spaces.
const NUMBER = String.raw`(?:第|vol\.? ?|#)?(?<number>\d{1,3}(?:\.\d+)?|[一二三四五六七八九十]{1,3}) ?[巻卷册冊]?`
const RANGE = String.raw`(?<label>\d{1,3}(?:\.\d+)? ?[-~〜–] ?\d{1,3}(?:\.\d+)?) ?[巻卷册冊]?`
const HALVES = String.raw`(?<label>[上中下] ?[巻卷册冊]?|[前後后][編篇编]?)`

/**
 * Patterns with the groups `base` and `number` or `label`, in order of precedence. A bracket may precede the volume's
 * own title.
 */
const NUMBERED_SHAPES = [
  String.raw`^(?<base>.*)\( ?${NUMBER} ?\)`,
  String.raw`^(?<base>.*)\( ?${RANGE} ?\)`,
  String.raw`^(?<base>.*)\( ?${HALVES} ?\)`,
  String.raw`^(?<base>.*?)(?<!全|既刊)第? ?(?<number>\d{1,3}(?:\.\d+)?) ?[巻卷册冊]`,
  String.raw`^(?<base>.*?)第 ?(?<number>[一二三四五六七八九十]{1,3}) ?[巻卷册冊]`,
  String.raw`^(?<base>.*?)(?:(?<![a-z])vol\.? ?|#)(?<number>\d{1,3}(?:\.\d+)?)(?!\d)`,
  String.raw`^(?<base>.* )${RANGE}$`,
  String.raw`^(?<base>.* )(?<number>\d{1,3}(?:\.\d+)?)$`,
  String.raw`^(?<base>.*?) ?(?<label>[上中下])[巻卷册冊]$`,
].map((shape) => new RegExp(shape, 'iu'))

const EXTRA = String.raw`(?<label>(?:EX|SS|SP|外伝|外传|番外[編篇编]?|短編集|短篇集) ?\d{0,3})`

/** Patterns for side volumes. `SS 2` and `短編集2` are not volume 2. */
const EXTRA_SHAPES = [
  String.raw`^(?<base>.* )${EXTRA}$`,
  String.raw`^(?<base>.*?)(?<label>(?:短編集|短篇集|番外[編篇编]) ?\d{1,3})$`,
].map((shape) => new RegExp(shape, 'iu'))

/** Patterns that are too weak to identify a volume, but sufficient to number a known one. */
const WEAK_SHAPES = [
  String.raw`^(?<base>.*?)(?<number>\d{1,3}(?:\.\d+)?)$`,
  String.raw`^(?<base>.* )(?<number>\d{1,3}(?:\.\d+)?) .*$`,
  String.raw`^(?<base>.* )(?<label>[上中下前後后][編篇编]?)$`,
].map((shape) => new RegExp(shape, 'iu'))

/** Text that may directly follow the series title: `10 Subtitle`, `SS 2`. */
const END = String.raw`(?=$|[ (~:「『<])`
const SHAPES_AFTER_SERIES = [
  String.raw`^(?<base>)[ :]?${EXTRA}${END}`,
  String.raw`^(?<base>)[ :]?(?:第|vol\.? ?|#)?(?<number>\d{1,3}(?:\.\d+)?)[巻卷册冊]?${END}`,
].map((shape) => new RegExp(shape, 'iu'))

/** Parses a title that can only be that of a volume. Returns `undefined` if it may be the title of a whole work. */
export function parseVolumeTitle(title: string): VolumeTitle | undefined {
  const plain = plainTitle(title)
  return (
    matchShapes(plain, NUMBERED_SHAPES) ?? matchShapes(withoutLastBracket(plain), NUMBERED_SHAPES)
  )
}

/**
 * Parses the title of a book that is known to be a volume.
 *
 * @param series title of the series; digits in it are not a volume number
 * @returns null for the number and '' for the label if the title has neither
 */
export function parseKnownVolumeTitle(title: string, series = ''): VolumeTitle {
  const plain = plainTitle(title)
  const head = plainTitle(series)
  const rest = head !== '' && plain.startsWith(head) ? plain.slice(head.length) : undefined
  const behind = rest === undefined ? undefined : matchShapes(rest, SHAPES_AFTER_SERIES)
  if (behind) return { ...behind, base: head }
  const none = { base: plain, number: null, label: '' }
  if (rest === '') return none
  return (
    matchShapes(plain, EXTRA_SHAPES) ??
    parseVolumeTitle(title) ??
    matchShapes(plain, WEAK_SHAPES) ??
    none
  )
}

/** Returns a title in the plain form that `base` has. */
export function plainTitle(title: string): string {
  return toHalfWidth(title).replace(/\s+/g, ' ').trim()
}

/** Removes the last bracket, which may be the imprint: `ARCANA HEART (1) (角川コミックス・エース 212-1)`. */
function withoutLastBracket(title: string): string {
  return title.replace(/ ?\([^()]*\)$/, '')
}

function matchShapes(title: string, shapes: RegExp[]): VolumeTitle | undefined {
  for (const shape of shapes) {
    const groups = shape.exec(title)?.groups
    if (!groups) continue
    const { base = '', number, label = '' } = groups
    return {
      base: base.trim(),
      number: number === undefined ? null : toNumber(number),
      label: label.replace(/\s/g, ''),
    }
  }
  return undefined
}

const KANJI_DIGITS = '〇一二三四五六七八九'

/** Parses `4.5` and, up to ninety-nine, Chinese numerals such as `二十三`. */
function toNumber(text: string): number {
  if (/^\d/.test(text)) return Number(text)
  const [tens = '', ones = ''] = text.includes('十') ? text.split('十') : ['〇', text]
  return KANJI_DIGITS.indexOf(tens || '一') * 10 + KANJI_DIGITS.indexOf(ones || '〇')
}
