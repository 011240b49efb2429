import { Type } from 'typebox'
import {
  Id,
  Named,
  Nullable,
  NullableDate,
  NullableNumber,
  NullableText,
  Ref,
} from '../../http/wire/schemas.ts'
import {
  Enum,
  EnumOrNull,
  covers,
  OpenEntityRefDto,
  OpenMediaDto,
  texts,
  workProperties,
} from '../schemas.ts'
import {
  CHARACTER_ROLES,
  DEV_STATUSES,
  GALGAME_PRODUCER_ROLES,
  GALGAME_RELATIONS,
  STAFF_ROLES,
} from '../enums.ts'

/** §2.2 */
const OpenGalgamePriceDto = Named('OpenGalgamePriceDto', {
  version: NullableText,
  amount: NullableNumber,
  currency: Type.Union([Type.String({ pattern: '^[A-Z]{3}$' }), Type.Null()], { description: 'ISO 4217' }),
  tax_included: Nullable(Type.Boolean()),
})

/** §2.3 */
export const Galgame = Named('Galgame', {
  id: Id,
  origin_title: Type.String(),
  trans_title: NullableText,
  aliases: texts,
  covers,
  images: Type.Array(Ref(OpenMediaDto)),
  release_date: NullableDate,
  release_date_tbd: Type.Boolean({ description: 'true when the day is not known yet' }),
  release_date_tbd_note: Type.String({ description: 'What is known: `2026-10`, `2027`' }),
  origin_intro: NullableText,
  trans_intro: NullableText,
  adv_type: NullableText,
  platforms: Type.Array(Type.String(), { description: "VNDB's codes: `win`, `swi`, `and` …" }),
  homepage: NullableText,
  engine: NullableText,
  origin_lang: Type.Union([Type.String(), Type.Null()], { description: 'BCP 47' }),
  dev_status: EnumOrNull(DEV_STATUSES),
  prices: Type.Array(Ref(OpenGalgamePriceDto)),
  ...workProperties,
})

/** §2.4 */
export const GalgameStaffEntry = Named('GalgameStaffEntry', {
  role: EnumOrNull(STAFF_ROLES),
  person: Ref(OpenEntityRefDto),
})

/** §2.5 */
export const GalgameCharacterEntry = Named('GalgameCharacterEntry', {
  role: Enum(CHARACTER_ROLES),
  actors: Type.Array(Ref(OpenEntityRefDto)),
  character: Ref(OpenEntityRefDto),
})

/** Decision 0002 */
export const GalgameProducerEntry = Named('GalgameProducerEntry', {
  role: Enum(GALGAME_PRODUCER_ROLES),
  producer: Ref(OpenEntityRefDto),
})

/** Decision 0002 */
export const GalgameRelationEntry = Named('GalgameRelationEntry', {
  relation: Enum(GALGAME_RELATIONS, { description: 'How the other galgame stands to this one' }),
  galgame: Ref(OpenEntityRefDto),
})

export const GALGAME_SCHEMAS = [
  OpenGalgamePriceDto,
  Galgame,
  GalgameStaffEntry,
  GalgameCharacterEntry,
  GalgameProducerEntry,
  GalgameRelationEntry,
]
