import { Type } from 'typebox'
import { WHOLE_PRODUCER } from './individuals.ts'
import { CONTRACT_TYPES, type ContractOfKind } from './types.ts'

const {
  Nullable,
  OneOf,
  text,
  nullableText,
  texts,
  id,
  nullableNumber,
  nullableDay,
  nullableId,
  Media,
  Cover,
  GalgameCover,
  Reference,
  external_links,
  external_source,
  characterRole,
  work,
} = CONTRACT_TYPES

const words = (list: string) => list.split(' ')

const Galgame = Type.Object({
  id,
  origin_title: text,
  trans_title: nullableText,
  aliases: texts,
  covers: Type.Array(GalgameCover),
  images: Type.Array(Media),
  release_date: nullableDay,
  release_date_tbd: Type.Boolean(),
  release_date_tbd_note: text,
  origin_intro: nullableText,
  trans_intro: nullableText,
  adv_type: nullableText,
  platforms: texts,
  homepage: nullableText,
  engine: nullableText,
  origin_lang: nullableText,
  dev_status: Nullable(OneOf('RELEASED', 'IN_DEVELOPMENT', 'CANCELLED')),
  prices: Type.Array(
    Type.Object({
      version: nullableText,
      amount: nullableNumber,
      currency: nullableText,
      tax_included: Nullable(Type.Boolean()),
    }),
  ),
  developer: nullableText,
  en_title: nullableText,
  en_intro: nullableText,
  external_links,
  steam_apps: Type.Array(Type.Object({ app_id: id })),
  vndb_id: nullableId,
  bangumi_game_id: nullableId,
  bangumi_id: nullableId,
  external_source,
  ...work,
})

/** §2.4 */
const staffRole = OneOf(
  ...words(
    'GAME_DESIGNER DIRECTOR PRODUCER SUPERVISOR EXECUTIVE_PRODUCER ORIGINAL_WORK CHARACTER_DESIGN',
  ),
  ...words('MECHANICAL_DESIGN LEVEL_DESIGN PLANNING PROGRAM QC SCENARIO SERIES_COMPOSITION'),
  ...words(
    'ANIMATION_SUPERVISOR ART GRAPHICS CG_SUPERVISOR SD_ART BACKGROUND COVER_ART SOUND_DIRECTOR',
  ),
  ...words(
    'MUSIC THEME_COMPOSITION THEME_LYRICS THEME_PERFORMANCE INSERT_PERFORMANCE ANIMATION_PRODUCTION',
  ),
  ...words('ANIMATION_DIRECTOR ANIMATION_SCRIPT COOPERATION TRANSLATOR EDITOR'),
)

const relationWord = OneOf(
  ...words('SEQUEL PREQUEL SIDE_STORY MAIN_STORY VARIANT MAIN_VERSION COLLECTION COLLECTED_WORK'),
  ...words('SAME_UNIVERSE DIFFERENT_ADAPTATION EXPANSION'),
)
const RelatedGalgame = Type.Object({
  id,
  origin_title: text,
  trans_title: nullableText,
  nsfw: Type.Boolean(),
  release_date: nullableDay,
  covers: Type.Array(Cover),
})

/** §2.3–2.5, decision 0002 */
export const GALGAMES_CONTRACT: ContractOfKind = {
  detail: Galgame,
  lists: {
    staff: Type.Object({ role: Nullable(staffRole), person: Reference }),
    characters: Type.Object({
      role: characterRole,
      actors: Type.Array(Reference),
      character: Reference,
    }),
    producers: Type.Object({
      role: Nullable(OneOf('DEVELOPER', 'PUBLISHER', 'LOCALIZER')),
      note: text,
      producer: Reference,
    }),
    developers: Type.Object({ ...WHOLE_PRODUCER, note: text }),
    relations: Type.Object({ relation: relationWord, galgame: RelatedGalgame }),
  },
}
