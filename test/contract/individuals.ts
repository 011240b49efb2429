import { Type } from 'typebox'
import { CONTRACT_TYPES, type ContractOfKind } from './types.ts'

const {
  Nullable,
  text,
  nullableText,
  texts,
  id,
  nullableNumber,
  nullableInteger,
  nullableDay,
  Media,
  labels,
  outsideTexts,
  external_source,
  producerType,
  times,
} = CONTRACT_TYPES

const individual = {
  id,
  name: text,
  trans_name: nullableText,
  aliases: texts,
  intro: text,
  trans_intro: nullableText,
  image: Nullable(Media),
  gender: nullableText,
  labels,
  ...outsideTexts,
  ...times,
}

/** §2.8 */
const Person = Type.Object(individual)

/** §2.10 */
const Character = Type.Object({
  ...individual,
  external_source,
  en_name: nullableText,
  en_intro: nullableText,
  blood_type: nullableText,
  birthday_month: nullableInteger,
  birthday_day: nullableInteger,
  height: nullableNumber,
  weight: nullableNumber,
  bust: nullableNumber,
  waist: nullableNumber,
  hips: nullableNumber,
  cup: nullableText,
  age: nullableNumber,
})

/** Fields of a producer in lists. */
export const WHOLE_PRODUCER = {
  id,
  name: text,
  type: producerType,
  aliases: texts,
  intro: nullableText,
  trans_intro: nullableText,
  en_intro: nullableText,
  country: text,
  established: nullableDay,
  website: nullableText,
  logo: Nullable(Media),
}
/** §2.9 */
const Producer = Type.Object({
  ...WHOLE_PRODUCER,
  external_source,
  labels,
  ...outsideTexts,
  ...times,
})

export const PEOPLE_CONTRACT: ContractOfKind = { detail: Person, lists: {} }
export const PRODUCERS_CONTRACT: ContractOfKind = { detail: Producer, lists: {} }
export const CHARACTERS_CONTRACT: ContractOfKind = { detail: Character, lists: {} }
