import type { WorkKind } from '../catalog/kinds.ts'
import type { RecordFields, WorkFields } from './record-fields.ts'
import type { RecordKind } from './record-kinds.ts'

/** Fields that are columns of a row, each with its value when no source says anything; a field that is left out does not compile. */
type Columns<Fields> = { [Name in keyof Fields]-?: Fields[Name] | null }

/** Of a work, what it has in common with the others is in another table. */
type OwnFields<Kind extends RecordKind> = Omit<
  RecordFields[Kind],
  Kind extends WorkKind ? keyof WorkFields : never
>

const TIMES = { created_at: null, updated_at: null, revised_at: null }

/** The columns of `works`. */
export const WORK_COLUMNS: Columns<WorkFields> = { nsfw: false, tags: [], ...TIMES }

/** The columns of each kind's own table (record-kinds.ts). */
export const COLUMNS: { [Kind in RecordKind]: Columns<OwnFields<Kind>> } = {
  galgame: {
    origin_title: null,
    trans_title: null,
    en_title: null,
    aliases: [],
    covers: [],
    images: [],
    release_date: null,
    release_date_tbd: false,
    release_date_tbd_note: '',
    origin_intro: null,
    trans_intro: null,
    en_intro: null,
    adv_type: null,
    platforms: [],
    homepage: null,
    engine: null,
    origin_lang: null,
    dev_status: null,
    prices: [],
    external_links: [],
    steam_apps: [],
  },
  light_novel: {
    name: null,
    name_cn: null,
    other_names: [],
    covers: [],
    publication_date: null,
    publication_date_text: null,
    novel_status: 'SERIALIZING',
    total_volumes: 0,
    summary: null,
    summary_cn: null,
    external_links: [],
  },
  manga: {
    name: null,
    name_cn: null,
    other_names: [],
    covers: [],
    serial_status: 'SERIALIZING',
    reading_mode: 'PAGED_RTL',
    origin_country: null,
    audience: null,
    latest_chapter_at: null,
    publication_date: null,
    publication_date_text: null,
    publication_end_date: null,
    publication_end_date_text: null,
    homepage: null,
    isbn: null,
    price_amount: null,
    price_currency: null,
    pages: null,
    editions: [],
    summary: null,
    summary_cn: null,
    external_links: [],
  },
  light_novel_volume: {
    volume_type: 'MAIN',
    volume_number: null,
    volume_label: null,
    name: null,
    name_cn: null,
    covers: [],
    publication_date: null,
    publication_date_text: null,
    relation: '',
    isbns: [],
    page_count: null,
    price_amount: null,
    price_currency: null,
  },
  manga_volume: {
    volume_number: null,
    name: null,
    name_cn: null,
    cover: null,
    isbn: null,
    publication_date: null,
    publication_date_text: null,
    page_count: null,
  },
  person: {
    name: null,
    trans_name: null,
    aliases: [],
    intro: '',
    trans_intro: null,
    image: null,
    gender: null,
    labels: [],
    external_links: [],
    ...TIMES,
  },
  producer: {
    name: null,
    trans_name: null,
    type: 'COMPANY',
    aliases: [],
    intro: null,
    trans_intro: null,
    en_intro: null,
    country: '',
    established: null,
    established_text: null,
    website: null,
    logo: null,
    labels: [],
    external_links: [],
    ...TIMES,
  },
  character: {
    name: null,
    trans_name: null,
    en_name: null,
    aliases: [],
    intro: '',
    trans_intro: null,
    en_intro: null,
    image: null,
    gender: null,
    blood_type: null,
    birthday_month: null,
    birthday_day: null,
    height: null,
    weight: null,
    bust: null,
    waist: null,
    hips: null,
    cup: null,
    age: null,
    labels: [],
    external_links: [],
    ...TIMES,
  },
}

/** The field without which there is no entry; a volume may be known by its number alone. */
export const NAME_FIELDS: { [Kind in RecordKind]: keyof RecordFields[Kind] | null } = {
  galgame: 'origin_title',
  light_novel: 'name',
  manga: 'name',
  light_novel_volume: null,
  manga_volume: null,
  person: 'name',
  producer: 'name',
  character: 'name',
}

/** What columns are when no source says anything, as JSON; null needs no words. */
export const defaultsOf = (columns: object) =>
  JSON.stringify(Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== null)))
