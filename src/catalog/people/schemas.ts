import { Type } from 'typebox'
import { Id, Named, NullableEnum, NullableText } from '../../http/wire/schemas.ts'
import { labels, nullableMedia, texts, times } from '../schemas.ts'
import { GENDERS } from '../enums.ts'

/** §2.8 */
export const Person = Named('Person', {
  id: Id,
  name: Type.String(),
  trans_name: NullableText,
  aliases: texts,
  intro: Type.String(),
  trans_intro: NullableText,
  image: nullableMedia,
  gender: NullableEnum(GENDERS),
  labels,
  ...times,
})
