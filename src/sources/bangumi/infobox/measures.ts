import type { CharacterFields, PersonFields } from '../../records/record-fields.ts'
import { firstNumber, toHalfWidth } from '../text.ts'

/** Upper bound of measures. Larger numbers are not body measures and do not fit the columns. */
const MAX_MEASURE = 100_000

const FEET = /^[^\d]*(\d{1,2})\s?(?:'|′|’|ft|feet|英尺)\s?(\d{1,2})?/i
const POUNDS = /^[^\d]*\d[\d,.]*\s?(?:lbs?|pounds?|磅)/i

/** Parses a height in centimeters: `178cm→181cm` is 178, `1.6m` is 160, `5' 10" (1.78 m)` is 178. */
export function parseHeight(text: string): number | undefined {
  const plain = toHalfWidth(text)
  const [imperial, feet, inches = 0] = FEET.exec(plain) ?? []
  if (imperial === undefined) return metricHeight(plain)
  const metric = METRIC_HEIGHT.exec(plain.slice(imperial.length))?.[0]
  return metric === undefined
    ? positive(Math.round((Number(feet) * 12 + Number(inches)) * 2.54))
    : metricHeight(metric)
}

const METRIC_HEIGHT = /(?<![\d.])\d{1,3}(?:\.\d{1,2})?\s?(?:cm|m|厘米|公分|米)(?![a-z])/i

function metricHeight(plain: string): number | undefined {
  const height = positive(firstNumber(plain))
  const isMeters = /\d\s?(?:m|米)(?![a-z])/i.test(plain)
  return height !== undefined && isMeters ? positive(Math.round(height * 100)) : height
}

/** Parses a weight in kilograms: `46 kg` is 46, `43.5t` is 43500, `175 lbs (80 kg)` is 80. */
export function parseWeight(text: string): number | undefined {
  const plain = toHalfWidth(text)
  const weight = positive(firstNumber(plain))
  if (weight === undefined) return undefined
  if (POUNDS.test(plain)) {
    const kilograms = /(?<![\d.])(\d{1,4}(?:\.\d{1,2})?)\s?(?:kg|公斤|千克)/i.exec(plain)?.[1]
    return positive(kilograms === undefined ? Math.round(weight * 0.4536) : Number(kilograms))
  }
  const isTonnes = /\d\s?(?:t|吨|噸|トン)(?![a-z])/i.test(plain)
  return isTonnes ? positive(Math.round(weight * 1000)) : weight
}

/** Parses an age in years, which is the first whole number: `16岁` is 16. */
export function parseAge(text: string): number | undefined {
  const age = firstNumber(text)
  return age !== undefined && Number.isInteger(age) && age < MAX_MEASURE ? age : undefined
}

export type BodyMeasures = Pick<CharacterFields, 'bust' | 'waist' | 'hips'> & { cup: string }

/**
 * Matches words and units used for vehicles and animals (`长7.02米/宽2.88米/高2.68米`), whose sizes are not body measures.
 */
const NON_BODY_MEASURE = /[长長宽寬高幅翼尾]|\d\s?(?:m|米)(?![a-z])/i
const BODY = /[胸腰臀]|B ?:?\d/i

/** Parses `80/55/81`, `B200 W300 H400`, `70-52-68` and `B88(E)/W58/H85` in centimeters. `cup` is `''` if missing. */
export function parseBodyMeasures(text: string): BodyMeasures | undefined {
  const plain = toHalfWidth(text)
  if (NON_BODY_MEASURE.test(plain) && !BODY.test(plain)) return undefined
  const [bust, waist, hips] = (plain.match(/\d+(?:\.\d+)?/g) ?? []).map((digits) =>
    positive(Number(digits)),
  )
  if (bust === undefined || waist === undefined || hips === undefined) return undefined
  return {
    bust,
    waist,
    hips,
    cup:
      /\d\s{0,9}\(?\s{0,9}([A-K])\s{0,9}(?:\)|カップ|cup|罩杯)/i.exec(plain)?.[1]?.toUpperCase() ??
      '',
  }
}

function positive(size: number | undefined): number | undefined {
  return size !== undefined && size > 0 && size < MAX_MEASURE ? size : undefined
}

export type Birthday = { month: number; day: number }

/** Formats of birthdays, in the order in which they are tried, with the named groups `day` and `month`. */
const BIRTHDAY_SHAPES = [
  /(?<month>\d{1,2})\s*月\s*(?<day>\d{1,2})/,
  /\d{4}\D{1,3}(?<month>\d{1,2})[-/.](?<day>\d{1,2})(?!\d)/,
  /(?<!\d)(?<day>\d{1,2})\.(?<month>\d{1,2})\.\d{4}/,
  // East Asian dates put the month before the day.
  /^(?<month>\d{1,2})[-/.](?<day>\d{1,2})$/,
]
const DAYS_IN_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Parses a birthday. The year is ignored, because it may be from a fictional calendar (`皇历2000年7月10日`). */
export function parseBirthday(text: string): Birthday | undefined {
  const plain = toHalfWidth(text).trim()
  for (const shape of BIRTHDAY_SHAPES) {
    const groups = shape.exec(plain)?.groups
    const month = Number(groups?.['month'])
    const day = Number(groups?.['day'])
    if (day >= 1 && day <= (DAYS_IN_MONTH[month - 1] ?? 0)) return { month, day }
  }
  return undefined
}

const BLOOD_TYPES: Record<string, CharacterFields['blood_type']> = {
  A: 'A',
  B: 'B',
  AB: 'AB',
  O: 'O',
}

const RHESUS = String.raw`(?:RH)?(?:[+\-−]|[阴陰阳陽]性?)`
const BLOOD_TYPE = new RegExp(`^(?:RH[+\\-−]?)?(AB|A|B|O)型?(?:RH|${RHESUS})?型?$`)

/** Parses `A`, `O 型`, `RH-AB型` and `AB（RH阴性）`. Other values are fictional and are ignored. */
export function parseBloodType(text: string): CharacterFields['blood_type'] | undefined {
  const plain = toHalfWidth(text)
    .toUpperCase()
    .replace(/[\s()]/g, '')
  const letters = BLOOD_TYPE.exec(plain)?.[1]
  return letters === undefined ? undefined : BLOOD_TYPES[letters]
}

const GENDERS: [words: string[], gender: PersonFields['gender']][] = [
  [['女', '女性', '女生', '雌', '雌性', '♀'], 'female'],
  [['男', '男性', '男生', '雄', '雄性', '♂'], 'male'],
  [['无', '无性', '无性别', '無性', '双性', '两性', '中性', '扶她', '间性', '非二元'], 'other'],
]

/** Parses a gender given as a single word. Values such as `未知` and `男→女` are ignored. */
export function parseGender(text: string): PersonFields['gender'] | undefined {
  return GENDERS.find(([words]) => words.includes(text.trim()))?.[1]
}
