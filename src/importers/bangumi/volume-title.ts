import { toHalfWidth } from './text.ts'

/**
 * What a volume's title tells. `base` is the series' title in plain form, for comparing; `number` is null where
 * the label (`上`, `1-3`, `EX`) is no plain number, and `label` is `''` where it is one.
 */
export type VolumeTitle = { base: string; number: number | null; label: string }

const NUMBER = String.raw`(?:第|vol\.?\s*|#)?\s*(?<number>\d{1,3}(?:\.\d+)?|[一二三四五六七八九十]{1,3})\s*[巻卷册冊]?`
const RANGE = String.raw`(?<label>\d{1,3}(?:\.\d+)?\s*[-~〜–]\s*\d{1,3}(?:\.\d+)?)\s*[巻卷册冊]?`
const HALVES = String.raw`(?<label>[上中下])\s*[巻卷册冊]?`

/** Each gives `base`, and `number` or `label`. In order; a bracket may be followed by the volume's own title. */
const NUMBERED_SHAPES = [
  String.raw`^(?<base>.*)\(\s*${NUMBER}\s*\)`,
  String.raw`^(?<base>.*)\(\s*${RANGE}\s*\)`,
  String.raw`^(?<base>.*)\(\s*${HALVES}\s*\)`,
  String.raw`^(?<base>.*?)(?<!全|既刊)第?\s*(?<number>\d{1,3}(?:\.\d+)?)\s*[巻卷册冊]`,
  String.raw`^(?<base>.*?)第\s*(?<number>[一二三四五六七八九十]{1,3})\s*[巻卷册冊]`,
  String.raw`^(?<base>.*?)(?:(?<![a-z])vol\.?\s*|#)(?<number>\d{1,3}(?:\.\d+)?)(?!\d)`,
  String.raw`^(?<base>.*\s)${RANGE}$`,
  String.raw`^(?<base>.*\s)(?<number>\d{1,3}(?:\.\d+)?)$`,
  String.raw`^(?<base>.*?)\s*(?<label>[上中下])[巻卷册冊]$`,
].map((shape) => new RegExp(shape, 'iu'))

/** Too weak to call a title a volume, good enough to number one that is known to be. */
const WEAK_SHAPES = [
  String.raw`^(?<base>.*?)(?<number>\d{1,3}(?:\.\d+)?)$`,
  String.raw`^(?<base>.*\s)(?<number>\d{1,3}(?:\.\d+)?)\s.*$`,
  String.raw`^(?<base>.*\s)(?<label>(?:EX|SS|SP|外伝|外传|番外[編篇编]?|短編集|短篇集|[上中下前後后][編篇编]?)\d*)$`,
].map((shape) => new RegExp(shape, 'iu'))

/** The number or label a title shows beyond doubt; undefined for a title that may well be a whole work's. */
export function parseVolumeTitle(title: string): VolumeTitle | undefined {
  const plain = plainTitle(title)
  return matchShapes(plain, NUMBERED_SHAPES) ?? matchShapes(withoutLastBracket(plain), NUMBERED_SHAPES)
}

/** The same for the title of what is known to be a volume; with neither number nor label where it shows none. */
export function parseKnownVolumeTitle(title: string): VolumeTitle {
  const plain = plainTitle(title)
  return (
    parseVolumeTitle(title) ?? matchShapes(plain, WEAK_SHAPES) ?? { base: plain, number: null, label: '' }
  )
}

/** A title in the form in which `base` is given. */
export function plainTitle(title: string): string {
  return toHalfWidth(title).trim()
}

/** A title's last bracket may name the imprint: `ARCANA HEART (1) (角川コミックス・エース 212-1)`. */
function withoutLastBracket(title: string): string {
  return title.replace(/\s*\([^()]*\)$/, '')
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

/** `4.5` or, up to ninety-nine, `二十三`. */
function toNumber(text: string): number {
  if (/^\d/.test(text)) return Number(text)
  const [tens = '', ones = ''] = text.includes('十') ? text.split('十') : ['〇', text]
  return KANJI_DIGITS.indexOf(tens || '一') * 10 + KANJI_DIGITS.indexOf(ones || '〇')
}
