import { Type } from 'typebox'
import { Id, Named, NullableDate, NullableText, Ref } from '../../http/wire/schemas.ts'
import { answersOf } from '../fields/field.ts'
import { galgameCovers, GALGAME_FIELDS, OpenGalgamePriceDto, OpenSteamAppDto } from '../fields/galgame.ts'
import { WORK_ANSWER } from '../fields/shared.ts'
import { VALUES } from '../fields/value-types.ts'
import { Enum, EnumOrNull, OpenEntityRefDto } from '../schemas.ts'
import {
  CHARACTER_ROLES,
  GALGAME_PRODUCER_ROLES,
  GALGAME_RELATION_DETAILS,
  GALGAME_RELATIONS,
  STAFF_ROLES,
} from '../enums.ts'
import { Producer } from '../producers.ts'

/** §2.3, decision 0002 */
export const Galgame = Named('Galgame', { ...answersOf(GALGAME_FIELDS), ...answersOf(WORK_ANSWER) })

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
  note: Type.String(),
  producer: Ref(OpenEntityRefDto),
})

/** A whole producer, decision 0002 */
export const GalgameDeveloperEntry = Named('GalgameDeveloperEntry', {
  ...Producer.properties,
  trans_name: NullableText,
  note: Type.String(),
})

/** Decision 0002; in the words of §2.2 too. */
const RelatedGalgame = Named('RelatedGalgame', {
  id: Id,
  origin_title: Type.String(),
  trans_title: NullableText,
  nsfw: Type.Boolean(),
  release_date: NullableDate,
  covers: galgameCovers.answer,
  name: Type.String(),
  trans_name: NullableText,
  image: VALUES.picture.answer,
})

/** Decision 0002 */
export const GalgameRelationEntry = Named('GalgameRelationEntry', {
  relation: Enum(GALGAME_RELATIONS, { description: 'How the other galgame is related to this one' }),
  detail: Enum(GALGAME_RELATION_DETAILS, { description: 'The same, more precisely' }),
  galgame: Ref(RelatedGalgame),
})

export const GALGAME_SCHEMAS = [
  OpenGalgamePriceDto,
  OpenSteamAppDto,
  Galgame,
  GalgameStaffEntry,
  GalgameCharacterEntry,
  GalgameProducerEntry,
  GalgameDeveloperEntry,
  RelatedGalgame,
  GalgameRelationEntry,
]
