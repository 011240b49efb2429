import { Type } from 'typebox'
import { Id, Named, NullableDate, NullableText, StringEnum } from '../../http/wire/schemas.ts'
import { labels, nullableMedia, texts, times } from '../schemas.ts'
import { PRODUCER_TYPES } from '../enums.ts'

/** §2.9 */
export const Producer = Named('Producer', {
  id: Id,
  name: Type.String(),
  type: StringEnum(PRODUCER_TYPES),
  aliases: texts,
  intro: NullableText,
  trans_intro: NullableText,
  country: Type.String({ description: 'ISO 3166 alpha-2; empty when unknown' }),
  established: NullableDate,
  website: NullableText,
  logo: nullableMedia,
  labels,
  ...times,
})
