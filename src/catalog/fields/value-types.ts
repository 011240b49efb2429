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
import { isoDaySql } from '../sql-fragments.ts'
import { isBelow, isDate, isIntegerInRange } from './column-limits.ts'
import {
  StatedUrl,
  StatedCountry,
  StatedCover,
  StatedCurrency,
  StatedDate,
  StatedIsbn,
  StatedLabel,
  StatedLink,
  StatedMedia,
  StatedPartialDate,
  StatedText,
} from './stated-values.ts'

/** Value types of fields. Each field adds its example and overrides what differs. */

export const nullableText = (description: string) => Nullable(Type.String(), { description })

const text = { stated: StatedText, response: NullableText, fallback: null }
const requiredText = { ...text, response: Type.String() }
/** Text whose column is never null. */
const textOrEmpty = { ...requiredText, fallback: '' }
const url = { ...text, stated: StatedUrl }
const country = { ...text, stated: StatedCountry, response: nullableText('ISO 3166 alpha-2') }
const currency = { ...text, stated: StatedCurrency }
const isbn = { ...text, stated: StatedIsbn }
const flag = { stated: Type.Boolean(), response: Type.Boolean(), fallback: false }

/** One value of an enumeration, or null. */
const enumOf = <const Value extends string>(values: readonly Value[]) => ({
  stated: StringEnum(values),
  response: EnumOrNull(values),
  fallback: null,
})
/** One value of an enumeration, never null. */
const enumWithDefault = <const Value extends string>(
  values: readonly Value[],
  fallback: NoInfer<Value>,
) => ({ stated: StringEnum(values), response: Enum(values), fallback })

const gender = { ...enumOf(GENDERS), response: NullableEnum(GENDERS) }

const day = {
  stated: StatedDate,
  response: NullableDate,
  fallback: null,
  select: (entry: string, name: string) => isoDaySql(`${entry}.${name}`),
  canHold: isDate,
}
/** Known part of an incomplete date, for the field `…_text` next to a date. */
const partialDate = {
  ...text,
  stated: StatedPartialDate,
  response: nullableText('`2007` or `2007-08`, if the exact date is unknown'),
}

const decimal = {
  stated: Type.Number(),
  response: NullableNumber,
  fallback: null,
  select: (entry: string, name: string) => `trim_scale(${entry}.${name})`,
  canHold: isBelow(1e6),
}
/** Amount of money in major units of its currency. */
const amount = {
  ...decimal,
  stated: Type.Number({ minimum: 0, maximum: 9_999_999 }),
  canHold: isBelow(1e10),
}
const measure = (unit: string) => ({
  ...decimal,
  stated: Type.Number({ minimum: 0, maximum: 99_999 }),
  response: Nullable(Type.Number(), { description: unit }),
})
/** @param canHold whether the column's check allows a value */
const integer = (minimum: number, maximum: number, canHold = isIntegerInRange(minimum)) => ({
  stated: Type.Integer({ minimum, maximum }),
  response: NullableInteger,
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
  response: Type.Array(shown, description === undefined ? {} : { description }),
  fallback: [],
})
const texts = listOf(StatedText, Type.String())
const pictures = listOf(StatedMedia, Ref(OpenMediaDto))
const covers = listOf(StatedCover, Ref(OpenCoverDto), 'Most votes first')
const links = listOf(StatedLink, Ref(OpenExternalLinkDto), 'Pages at other sites')
const labels = listOf(StatedLabel, Ref(OpenEntityLabelDto))
const picture = { stated: StatedMedia, response: Nullable(Ref(OpenMediaDto)), fallback: null }

export const VALUES = {
  text,
  requiredText,
  textOrEmpty,
  url,
  country,
  currency,
  isbn,
  flag,
  enumOf,
  enumWithDefault,
  gender,
  day,
  partialDate,
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
