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
  externalLinks,
  galgameCovers,
  nullableMedia,
  OpenEntityRefDto,
  OpenExternalSourceDto,
  OpenMediaDto,
  outsideNumber,
  texts,
  workProperties,
} from '../schemas.ts'
import {
  CHARACTER_ROLES,
  DEV_STATUSES,
  GALGAME_PRODUCER_ROLES,
  GALGAME_RELATION_DETAILS,
  GALGAME_RELATIONS,
  STAFF_ROLES,
} from '../enums.ts'
import { Producer } from '../producers.ts'

/** §2.2 */
const OpenGalgamePriceDto = Named('OpenGalgamePriceDto', {
  version: NullableText,
  amount: NullableNumber,
  currency: Type.Union([Type.String({ pattern: '^[A-Z]{3}$' }), Type.Null()], { description: 'ISO 4217' }),
  tax_included: Nullable(Type.Boolean()),
})

/** Decision 0002 */
const OpenSteamAppDto = Named('OpenSteamAppDto', { app_id: Id })

/** §2.3, decision 0002 */
export const Galgame = Named('Galgame', {
  id: Id,
  origin_title: Type.String(),
  trans_title: NullableText,
  aliases: texts,
  covers: galgameCovers,
  images: Type.Array(Ref(OpenMediaDto)),
  release_date: NullableDate,
  release_date_tbd: Type.Boolean({
    description: 'True if the day is not known. With `dev_status` `RELEASED` it is in the past.',
  }),
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
  en_title: NullableText,
  en_intro: NullableText,
  developer: Type.Union([Type.String(), Type.Null()], { description: 'Name of the first developer' }),
  external_links: externalLinks,
  steam_apps: Type.Array(Ref(OpenSteamAppDto)),
  vndb_id: outsideNumber('VNDB, 17 for v17'),
  bangumi_game_id: outsideNumber('Bangumi'),
  bangumi_id: outsideNumber('Bangumi'),
  external_source: Ref(OpenExternalSourceDto),
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
  covers: galgameCovers,
  name: Type.String(),
  trans_name: NullableText,
  image: nullableMedia,
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
