import { Type, type TSchema } from 'typebox'
import {
  Nullable,
  NullableDate,
  NullableEnum,
  NullableInteger,
  NullableNumber,
  NullableText,
  Ref,
  StringEnum,
} from '../../http/wire/schemas.ts'
import { GENDERS } from '../enums.ts'
import {
  Enum,
  EnumOrNull,
  OpenCoverDto,
  OpenEntityLabelDto,
  OpenExternalLinkDto,
  OpenMediaDto,
} from '../schemas.ts'
import { isoDay } from '../sql-fragments.ts'
import { isBelow, isDay, isIntegerFrom } from './column-limits.ts'
import {
  StatedAddress,
  StatedCountry,
  StatedCover,
  StatedCurrency,
  StatedDay,
  StatedIsbn,
  StatedLabel,
  StatedLink,
  StatedMedia,
  StatedPartOfDate,
  StatedText,
} from './stated-values.ts'

/** Value types, as parts of rows. A row adds its example and overrides what differs. */

export const describedText = (description: string) =>
  Type.Union([Type.String(), Type.Null()], { description })

const text = { stated: StatedText, answer: NullableText, fallback: null }
const requiredText = { ...text, answer: Type.String() }
/** Text whose column is never null. */
const textOrEmpty = { ...requiredText, fallback: '' }
const address = { ...text, stated: StatedAddress }
const country = { ...text, stated: StatedCountry, answer: describedText('ISO 3166 alpha-2') }
const currency = { ...text, stated: StatedCurrency }
const isbn = { ...text, stated: StatedIsbn }
const flag = { stated: Type.Boolean(), answer: Type.Boolean(), fallback: false }

/** One of a value set, or null. */
const oneOf = <const Value extends string>(values: readonly Value[]) => ({
  stated: StringEnum(values),
  answer: EnumOrNull(values),
  fallback: null,
})
/** One of a value set, never null. */
const oneOfOr = <const Value extends string>(
  values: readonly Value[],
  fallback: NoInfer<Value>,
) => ({ stated: StringEnum(values), answer: Enum(values), fallback })

const gender = { ...oneOf(GENDERS), answer: NullableEnum(GENDERS) }

const day = {
  stated: StatedDay,
  answer: NullableDate,
  fallback: null,
  select: (entry: string, name: string) => isoDay(`${entry}.${name}`),
  canHold: isDay,
}
/** Known part of an incomplete date. The field is named after the date's, with the suffix `_text`. */
const partOfDate = {
  ...text,
  stated: StatedPartOfDate,
  answer: describedText('`2007` or `2007-08`, where the day is not known'),
}

const decimal = {
  stated: Type.Number(),
  answer: NullableNumber,
  fallback: null,
  select: (entry: string, name: string) => `trim_scale(${entry}.${name})`,
  canHold: isBelow(1e6),
}
/** Amount of money in the main unit of its currency. */
const amount = {
  ...decimal,
  stated: Type.Number({ minimum: 0, maximum: 9_999_999 }),
  canHold: isBelow(1e10),
}
const measure = (unit: string) => ({
  ...decimal,
  stated: Type.Number({ minimum: 0, maximum: 99_999 }),
  answer: Type.Union([Type.Number(), Type.Null()], { description: unit }),
})
/** @param canHold values that the column's check allows */
const integer = (minimum: number, maximum: number, canHold = isIntegerFrom(minimum)) => ({
  stated: Type.Integer({ minimum, maximum }),
  answer: NullableInteger,
  fallback: null,
  canHold,
})
const pageCount = integer(1, 100_000)

/**
 * List of values in one column.
 *
 * @param item schema of an item in records
 * @param shown schema of an item in responses
 */
const listOf = <Item extends TSchema, Shown extends TSchema>(
  item: Item,
  shown: Shown,
  description?: string,
) => ({
  stated: Type.Array(item),
  answer: Type.Array(shown, description === undefined ? {} : { description }),
  fallback: [],
})
const texts = listOf(StatedText, Type.String())
const pictures = listOf(StatedMedia, Ref(OpenMediaDto))
const covers = listOf(StatedCover, Ref(OpenCoverDto), 'Most votes first')
const links = listOf(StatedLink, Ref(OpenExternalLinkDto), 'Pages at other sites')
const labels = listOf(StatedLabel, Ref(OpenEntityLabelDto))
const picture = { stated: StatedMedia, answer: Nullable(Ref(OpenMediaDto)), fallback: null }

export const VALUES = {
  text,
  requiredText,
  textOrEmpty,
  address,
  country,
  currency,
  isbn,
  flag,
  oneOf,
  oneOfOr,
  gender,
  day,
  partOfDate,
  decimal,
  amount,
  measure,
  integer,
  pageCount,
  listOf,
  texts,
  pictures,
  covers,
  links,
  labels,
  picture,
}
