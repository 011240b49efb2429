import type { EntrySummary } from '../../browse/summary.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import type { PictureMedia } from '../pictures/picture.ts'

/** What the pages of entries read of the catalog's answers (§2.2 to §2.10). */

export type EntityRef = { id: number; name: string; trans_name: string | null; image: PictureMedia | null }

type Times = { created_at: string; updated_at: string; revised_at: string | null }

type WorkFields = Times & {
  id: number
  covers: PictureMedia[]
  external_links: { label: string; url: string }[]
  tags: { name: string; likes: number }[]
}

export type GalgameData = WorkFields & {
  origin_title: string
  trans_title: string | null
  en_title: string | null
  aliases: string[]
  images: PictureMedia[]
  release_date: string | null
  release_date_tbd: boolean
  release_date_tbd_note: string
  origin_intro: string | null
  trans_intro: string | null
  en_intro: string | null
  adv_type: string | null
  platforms: string[]
  homepage: string | null
  engine: string | null
  origin_lang: string | null
  dev_status: string | null
  developer: string | null
  prices: {
    version: string | null
    amount: number | null
    currency: string | null
    tax_included: boolean | null
  }[]
}

type BookFields = WorkFields & {
  name: string
  name_cn: string | null
  other_names: string[]
  publication_date: string | null
  summary: string | null
  summary_cn: string | null
}

export type LightNovelData = BookFields & { novel_status: string; total_volumes: number }

export type MangaData = BookFields & {
  serial_status: string
  reading_mode: string
  origin_country: string | null
  audience: string | null
  latest_chapter_at: string | null
  publication_end_date: string | null
  homepage: string | null
  isbn: string | null
  price_amount: number | null
  price_currency: string | null
  pages: number | null
  editions: { label: string; fields: Record<string, string> }[]
}

export type WorkData =
  | { kind: 'galgame'; data: GalgameData }
  | { kind: 'light_novel'; data: LightNovelData }
  | { kind: 'manga'; data: MangaData }

/** A person's, producer's or character's. */
export type SubjectData = Times & {
  id: number
  name: string
  trans_name?: string | null
  en_name?: string | null
  aliases: string[]
  intro: string | null
  trans_intro: string | null
  en_intro?: string | null
  image?: PictureMedia | null
  logo?: PictureMedia | null
  labels: { key: string; value: string }[]
  gender?: string | null
  type?: string
  country?: string
  established?: string | null
  website?: string | null
  blood_type?: string | null
  birthday_month?: number | null
  birthday_day?: number | null
  height?: number | null
  weight?: number | null
  bust?: number | null
  waist?: number | null
  hips?: number | null
  cup?: string | null
  age?: number | null
  vndb_id: string | null
  bangumi_id: string | null
}

export type CastEntry = { role: string; actors?: EntityRef[]; character: EntityRef }

/** A person or producer with what they did: the role in upper case, or as a source has it. */
export type Credit = { role: string; note: string; target: EntityRef; kind: 'person' | 'producer' }

export type Volume = {
  id: number
  volume_number: number | null
  volume_label?: string | null
  volume_type?: string
  name: string | null
  name_cn: string | null
  covers?: PictureMedia[]
  cover?: PictureMedia | null
  isbn?: string | null
  publication_date: string | null
  page_count?: number | null
}

export type Relation = { detail: string; entry: EntrySummary }

export type Review = {
  id: number
  created_at: string
  user: { id: number; name: string; picture: string | null }
  status: string | null
  rate: number | null
  rate_content: string
  is_spoiler: boolean
  like_count: number
  dislike_count: number
}

export type WorkOf = {
  work: EntrySummary
  roles: {
    role: string | null
    credited_as?: string | null
    note?: string
    character?: EntityRef | null
    actors?: EntityRef[]
  }[]
}

export type PagedWork = { kind: WorkKind; id: number }
