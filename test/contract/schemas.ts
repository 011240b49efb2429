import { Type, type TSchema } from 'typebox'

/**
 * The catalog's answers as client programs read them: §2.2–2.10 of docs/interface.md and decision 0002, written from those
 * pages alone. Nothing here may come from src/, or the service would be held against itself. More fields are allowed.
 */

const Nullable = (schema: TSchema) => Type.Union([schema, Type.Null()])
const OneOf = (...values: string[]) => Type.Union(values.map((value) => Type.Literal(value)))
const text = Type.String()
const nullableText = Nullable(text)
const texts = Type.Array(text)
const id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
const nullableNumber = Nullable(Type.Number())
const nullableInteger = Nullable(Type.Integer())
const time = Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$` })
const nullableDay = Nullable(Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\dT00:00:00\.000Z$` }))
const nullableId = Nullable(id)

const media = {
  url: Type.String({ pattern: '^https://[^/]+/' }),
  width: nullableInteger,
  height: nullableInteger,
  sexual: Type.Integer({ minimum: 0 }),
  violence: Type.Integer({ minimum: 0 }),
}
const Media = Type.Object(media)
const Cover = Type.Object({ ...media, votes: Type.Integer({ minimum: 0 }) })
const GalgameCover = Type.Object({
  ...Cover.properties,
  kind: Nullable(OneOf('DIG', 'PKGFRONT')),
  language: nullableText,
})
const Reference = Type.Object({ id, name: text, trans_name: nullableText, image: Nullable(Media) })
const labels = Type.Array(Type.Object({ key: text, value: text }))
const external_links = Type.Array(
  Type.Object({ label: text, name: text, url: Type.String({ pattern: '^https?://[^/]+/' }) }),
)
const times = { created_at: time, updated_at: time, revised_at: Nullable(time) }
const outsideTexts = { vndb_id: nullableText, bangumi_id: nullableText }

const work = {
  nsfw: Type.Boolean(),
  tags: Type.Array(Type.Object({ name: text, likes: Type.Integer() })),
  rating: Type.Object({
    score: Type.Number(),
    total: Type.Integer(),
    count: Type.Object(
      Object.fromEntries(Array.from({ length: 10 }, (_, index) => [String(index + 1), Type.Integer()])),
    ),
  }),
  ...times,
}
const publicationStatus = OneOf('SERIALIZING', 'FINISHED', 'PAUSED', 'ABANDONED')
const characterRole = OneOf('MAIN', 'SUPPORTING', 'GUEST')

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
  ...work,
})

const book = {
  id,
  name: text,
  name_cn: nullableText,
  other_names: texts,
  covers: Type.Array(Cover),
  publication_date: nullableDay,
  summary: nullableText,
  summary_cn: nullableText,
  bangumi_id: nullableId,
  ranobedb_id: nullableId,
  external_links,
  ...work,
}

const LightNovel = Type.Object({
  ...book,
  novel_status: publicationStatus,
  total_volumes: Type.Integer({ minimum: 0 }),
})

const Manga = Type.Object({
  ...book,
  serial_status: publicationStatus,
  reading_mode: OneOf('PAGED_RTL', 'PAGED_LTR', 'WEBTOON'),
  origin_country: nullableText,
  audience: Nullable(OneOf('SHONEN', 'SEINEN', 'SHOJO', 'JOSEI')),
  latest_chapter_at: nullableDay,
  publication_end_date: nullableDay,
  homepage: nullableText,
  isbn: nullableText,
  price_amount: nullableNumber,
  price_currency: nullableText,
  pages: nullableInteger,
  editions: Type.Array(Type.Object({ label: text, fields: Type.Record(text, text) })),
})

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

const Person = Type.Object(individual)

const Character = Type.Object({
  ...individual,
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

const wholeProducer = {
  id,
  name: text,
  type: text,
  aliases: texts,
  intro: nullableText,
  trans_intro: nullableText,
  en_intro: nullableText,
  country: text,
  established: nullableDay,
  website: nullableText,
  logo: Nullable(Media),
}
const Producer = Type.Object({ ...wholeProducer, labels, ...outsideTexts, ...times })

const staffRole = OneOf(
  ...(
    'GAME_DESIGNER DIRECTOR PRODUCER SUPERVISOR EXECUTIVE_PRODUCER ORIGINAL_WORK ' +
    'CHARACTER_DESIGN MECHANICAL_DESIGN LEVEL_DESIGN PLANNING PROGRAM QC SCENARIO ' +
    'SERIES_COMPOSITION ANIMATION_SUPERVISOR ART GRAPHICS CG_SUPERVISOR SD_ART ' +
    'BACKGROUND COVER_ART SOUND_DIRECTOR MUSIC THEME_COMPOSITION THEME_LYRICS ' +
    'THEME_PERFORMANCE INSERT_PERFORMANCE ANIMATION_PRODUCTION ANIMATION_DIRECTOR ' +
    'ANIMATION_SCRIPT COOPERATION TRANSLATOR EDITOR'
  ).split(' '),
)
const relation = OneOf(
  ...(
    'SEQUEL PREQUEL SIDE_STORY MAIN_STORY VARIANT MAIN_VERSION COLLECTION ' +
    'COLLECTED_WORK SAME_UNIVERSE DIFFERENT_ADAPTATION EXPANSION'
  ).split(' '),
)
const RelatedGalgame = Type.Object({
  id,
  origin_title: text,
  trans_title: nullableText,
  nsfw: Type.Boolean(),
  release_date: nullableDay,
  covers: Type.Array(Cover),
})

type Contract = { detail: TSchema; lists: Record<string, TSchema> }

/** By the segment of the path: what `{id}` answers in `data`, and what is in each list below it. */
export const CATALOG_CONTRACT: Record<string, Contract> = {
  galgames: {
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
      developers: Type.Object({ ...wholeProducer, note: text }),
      relations: Type.Object({ relation, galgame: RelatedGalgame }),
    },
  },
  'light-novels': {
    detail: LightNovel,
    lists: {
      volumes: Type.Object({
        id,
        volume_type: OneOf('MAIN', 'EXTRA'),
        volume_number: nullableNumber,
        volume_label: nullableText,
        name: nullableText,
        name_cn: nullableText,
        covers: Type.Array(Cover),
        publication_date: nullableDay,
        relation: text,
      }),
      people: Type.Object({ relation: text, note: nullableText, person: Reference }),
      producers: Type.Object({ relation: text, note: nullableText, producer: Reference }),
      characters: Type.Object({ role: characterRole, character: Reference }),
    },
  },
  mangas: {
    detail: Manga,
    lists: {
      volumes: Type.Object({
        id,
        volume_number: nullableNumber,
        name: nullableText,
        name_cn: nullableText,
        cover: Nullable(Media),
        isbn: nullableText,
        publication_date: nullableDay,
        page_count: nullableInteger,
      }),
      people: Type.Object({
        role: OneOf('AUTHOR', 'ART', 'ORIGINAL_CREATOR', 'SCRIPT', 'ILLUSTRATION', 'CHARACTER_DESIGN'),
        note: text,
        person: Reference,
      }),
      producers: Type.Object({
        role: OneOf('PUBLISHER', 'MAGAZINE', 'LABEL'),
        note: text,
        producer: Reference,
      }),
      characters: Type.Object({ role: characterRole, character: Reference }),
    },
  },
  people: { detail: Person, lists: {} },
  producers: { detail: Producer, lists: {} },
  characters: { detail: Character, lists: {} },
}
