import { Type } from 'typebox'
import { Id, Named, NullableEnum, NullableInteger, NullableText } from '../../http/wire/schemas.ts'
import { labels, nullableMedia, texts, times } from '../schemas.ts'
import { GENDERS } from '../enums.ts'

const measure = (unit: string) => Type.Union([Type.Number(), Type.Null()], { description: unit })

/** §2.10 */
export const Character = Named('Character', {
  id: Id,
  name: Type.String(),
  trans_name: NullableText,
  aliases: texts,
  intro: Type.String(),
  trans_intro: NullableText,
  image: nullableMedia,
  gender: NullableEnum(GENDERS),
  blood_type: NullableText,
  birthday_month: NullableInteger,
  birthday_day: NullableInteger,
  height: measure('cm'),
  weight: measure('kg'),
  bust: measure('cm'),
  waist: measure('cm'),
  hips: measure('cm'),
  cup: NullableText,
  age: NullableInteger,
  labels,
  ...times,
})
