import type {
  Audience,
  CharacterRole,
  DevStatus,
  GalgameProducerRole,
  GalgameRelation,
  Gender,
  MangaPersonRole,
  MangaProducerRole,
  ProducerType,
  PublicationStatus,
  ReadingMode,
  StaffRole,
  VolumeType,
} from '../catalog/enums.ts'

export { STAFF_ROLES } from '../catalog/enums.ts'
export type { CharacterRole, GalgameRelation, PublicationStatus, StaffRole } from '../catalog/enums.ts'

/**
 * What a source says about one thing, in our own field names: the one type every importer produces and the
 * only one the writer takes.
 *
 * A record says only what its source knows. A field that is null, `''`, `[]` or missing says nothing, and
 * leaves the word to the next source (`SOURCE_RANK`).
 */
export type SourceRecord =
  | Entry<'galgame', GalgameFields, GalgameLinks>
  | Entry<'light_novel', LightNovelFields, LightNovelLinks>
  | Entry<'manga', MangaFields, MangaLinks>
  | Entry<'light_novel_volume', LightNovelVolumeFields>
  | Entry<'manga_volume', MangaVolumeFields>
  | Entry<'person', PersonFields>
  | Entry<'producer', ProducerFields>
  | Entry<'character', CharacterFields>

export type EntryKind = SourceRecord['kind']

/** Sources in the order in which they are believed, field by field and list by list. */
export const SOURCE_RANK = ['local', 'vndb', 'ranobedb', 'bangumi'] as const
export type Source = (typeof SOURCE_RANK)[number]
/** Sites nothing is loaded from, whose ids other sources tell: of MyAnimeList and AniList those of books, not of anime. */
type LinkedSite = 'mal' | 'anilist'

/** An id of the same thing elsewhere. */
export type SameAs = { source: Source | LinkedSite; external_id: string }

type Entry<Kind extends string, Fields, Links = Record<string, never>> = {
  kind: Kind
  /** The source's id, unique within source and kind: `v4`, `13`, `name:小学館`. */
  external_id: string
  /** The same thing in other sources, where that is a fact and not a guess (an id link, never a similar title). */
  same_as?: SameAs[]
  fields: Said<Fields>
  /** Lists in billing order. A `ref` is an external id of the same source; one that is not loaded is passed over. */
  links?: Partial<Links>
}

type Said<Fields> = { [Name in keyof Fields]?: Fields[Name] | null | undefined }

/** `YYYY-MM-DD`; a date known only in part is not said. */
export type DateText = string

/** §2.2. `url` absolute https; grades 0 safe, 1 suggestive or violent, 2 explicit or brutal. */
export type Media = {
  url: string
  width: number | null
  height: number | null
  sexual: number
  violence: number
}
export type Cover = Media & { votes: number }
export type Label = { key: string; value: string }
/** `amount` in the currency's main unit; `currency` ISO 4217. */
export type Price = {
  version: string | null
  amount: number | null
  currency: string | null
  tax_included: boolean | null
}
export type Edition = { label: string; fields: Record<string, string> }

/** ISO date-times or dates of the source's own entry; without them the time of the import counts. */
type Times = { created_at: string; updated_at: string; revised_at: string }

/** A reader's tag and how many readers gave it, most first. */
export type Tag = { name: string; likes: number }
type WorkFields = Times & { nsfw: boolean; tags: Tag[] }

export type GalgameFields = WorkFields & {
  origin_title: string
  trans_title: string
  aliases: string[]
  /** By votes descending, then as the source orders them. */
  covers: Cover[]
  images: Media[]
  release_date: DateText
  release_date_tbd: boolean
  release_date_tbd_note: string
  origin_intro: string
  trans_intro: string
  adv_type: string
  /** VNDB's lower-case codes: `win`, `swi`, `and` … */
  platforms: string[]
  homepage: string
  engine: string
  /** BCP 47. */
  origin_lang: string
  dev_status: DevStatus
  prices: Price[]
}

export type GalgameLinks = {
  staff: { ref: string; role: StaffRole | null; credited_as?: string | null }[]
  /** One entry a character. */
  characters: {
    ref: string
    role: CharacterRole
    actors: { ref: string; credited_as?: string | null }[]
  }[]
  producers: { ref: string; role: GalgameProducerRole }[]
  relations: { ref: string; relation: GalgameRelation }[]
}

type LightNovelFields = WorkFields & {
  name: string
  name_cn: string
  other_names: string[]
  covers: Cover[]
  publication_date: DateText
  novel_status: PublicationStatus
  total_volumes: number
  summary: string
  summary_cn: string
}

export type LightNovelLinks = {
  volumes: { ref: string }[]
  people: { ref: string; relation: string; note?: string | null }[]
  producers: { ref: string; relation: string; note?: string | null }[]
  characters: { ref: string; role: CharacterRole }[]
}

type LightNovelVolumeFields = {
  volume_type: VolumeType
  volume_number: number
  volume_label: string
  name: string
  name_cn: string
  covers: Cover[]
  publication_date: DateText
  relation: string
}

export type MangaFields = WorkFields & {
  name: string
  name_cn: string
  other_names: string[]
  covers: Cover[]
  serial_status: PublicationStatus
  reading_mode: ReadingMode
  /** ISO 3166 alpha-2. */
  origin_country: string
  audience: Audience
  latest_chapter_at: DateText
  publication_date: DateText
  publication_end_date: DateText
  homepage: string
  /** ISBN-13, digits only. */
  isbn: string
  price_amount: number
  price_currency: string
  pages: number
  editions: Edition[]
  summary: string
  summary_cn: string
}

export type MangaLinks = {
  volumes: { ref: string }[]
  people: {
    ref: string
    role: MangaPersonRole
    note?: string
  }[]
  producers: { ref: string; role: MangaProducerRole; note?: string }[]
  characters: { ref: string; role: CharacterRole }[]
}

type MangaVolumeFields = {
  volume_number: number
  name: string
  name_cn: string
  cover: Media
  isbn: string
  publication_date: DateText
  page_count: number
}

export type PersonFields = Times & {
  name: string
  trans_name: string
  aliases: string[]
  intro: string
  trans_intro: string
  image: Media
  gender: Gender
  labels: Label[]
}

export type ProducerFields = Times & {
  name: string
  trans_name: string
  type: ProducerType
  aliases: string[]
  intro: string
  trans_intro: string
  /** ISO 3166 alpha-2, `''` when unknown. */
  country: string
  established: DateText
  website: string
  logo: Media
  labels: Label[]
}

export type CharacterFields = Times & {
  name: string
  trans_name: string
  aliases: string[]
  intro: string
  trans_intro: string
  image: Media
  gender: Gender
  blood_type: 'A' | 'B' | 'AB' | 'O'
  birthday_month: number
  birthday_day: number
  /** Centimetres. */
  height: number
  /** Kilograms. */
  weight: number
  bust: number
  waist: number
  hips: number
  cup: string
  /** Years. */
  age: number
  labels: Label[]
}

/** What an importer tells its operator besides the records: rows it left out or read differently, and why. */
export type ImportReport = {
  /** Counts one occurrence of a remark; the same words are one line in the summary, with an example. */
  note(remark: string, example?: string): void
}
