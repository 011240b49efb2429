import type {
  Audience,
  CoverKind,
  DevStatus,
  Gender,
  StoredProducerType,
  PublicationStatus,
  ReadingMode,
  VolumeType,
} from '../catalog/enums.ts'

/** `YYYY-MM-DD`; of a date known only in part the field beside it tells, which is named `…_text`. */
export type DateText = string
/** `YYYY` or `YYYY-MM`, where no more of the date is known. */
export type PartialDateText = string

/** §2.2. `url` absolute https; grades 0 safe, 1 suggestive or violent, 2 explicit or brutal. */
export type Media = {
  url: string
  width: number | null
  height: number | null
  sexual: number
  violence: number
}
export type Cover = Media & { votes: number }
/** `language` BCP 47; both are null, or missing, where a source does not tell. */
export type GalgameCover = Cover & { kind?: CoverKind | null; language?: string | null }
/** A page at another site: `url` absolute, `name` the site for programs, `label` for people. */
export type ExternalLink = { label: string; name: string; url: string }
export type SteamApp = { app_id: number }
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
/** What every work has, in `works`. */
export type WorkFields = Times & { nsfw: boolean; tags: Tag[] }

export type GalgameFields = WorkFields & {
  origin_title: string
  trans_title: string
  en_title: string
  aliases: string[]
  /** By votes descending, then as the source orders them. */
  covers: GalgameCover[]
  images: Media[]
  release_date: DateText
  release_date_tbd: boolean
  release_date_tbd_note: string
  origin_intro: string
  trans_intro: string
  en_intro: string
  adv_type: string
  /** VNDB's lower-case codes: `win`, `swi`, `and` … */
  platforms: string[]
  homepage: string
  engine: string
  /** BCP 47. */
  origin_lang: string
  dev_status: DevStatus
  prices: Price[]
  external_links: ExternalLink[]
  steam_apps: SteamApp[]
}

/** What light novels and mangas share. */
type BookFields = WorkFields & {
  name: string
  name_cn: string
  other_names: string[]
  covers: Cover[]
  publication_date: DateText
  publication_date_text: PartialDateText
  summary: string
  summary_cn: string
  external_links: ExternalLink[]
}

type LightNovelFields = BookFields & {
  novel_status: PublicationStatus
  total_volumes: number
}

type LightNovelVolumeFields = {
  volume_type: VolumeType
  volume_number: number
  volume_label: string
  name: string
  name_cn: string
  covers: Cover[]
  publication_date: DateText
  publication_date_text: PartialDateText
  relation: string
  /** ISBN-13, digits only: of every edition, that of the printed original first. */
  isbns: string[]
  page_count: number
  price_amount: number
  price_currency: string
}

export type MangaFields = BookFields & {
  serial_status: PublicationStatus
  reading_mode: ReadingMode
  /** ISO 3166 alpha-2. */
  origin_country: string
  audience: Audience
  latest_chapter_at: DateText
  publication_end_date: DateText
  publication_end_date_text: PartialDateText
  homepage: string
  /** ISBN-13, digits only. */
  isbn: string
  price_amount: number
  price_currency: string
  pages: number
  editions: Edition[]
}

type MangaVolumeFields = {
  volume_number: number
  name: string
  name_cn: string
  cover: Media
  isbn: string
  publication_date: DateText
  publication_date_text: PartialDateText
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
  external_links: ExternalLink[]
}

export type ProducerFields = Times & {
  name: string
  trans_name: string
  type: StoredProducerType
  aliases: string[]
  intro: string
  trans_intro: string
  en_intro: string
  /** ISO 3166 alpha-2, `''` when unknown. */
  country: string
  established: DateText
  established_text: PartialDateText
  website: string
  logo: Media
  labels: Label[]
  external_links: ExternalLink[]
}

export type CharacterFields = Times & {
  name: string
  trans_name: string
  /** Without one, the romanised name: how English texts call the character. */
  en_name: string
  aliases: string[]
  intro: string
  trans_intro: string
  en_intro: string
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
  external_links: ExternalLink[]
}

/** The fields of each kind, under the names they have as columns and in answers. */
export type RecordFields = {
  galgame: GalgameFields
  light_novel: LightNovelFields
  manga: MangaFields
  light_novel_volume: LightNovelVolumeFields
  manga_volume: MangaVolumeFields
  person: PersonFields
  producer: ProducerFields
  character: CharacterFields
}
