import type { EntryKind } from './record.ts'

/** Where an entry's fields go: its table, the fields that are columns of it, and what a column is that nobody speaks of. */
export type EntryTable = { table: string; columns: Record<string, unknown>; required: string }

const TIMES = ['created_at', 'updated_at', 'revised_at']

/** Columns without a default are null when no source says anything. */
const nullable = (...names: string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, null]))

export const ENTRY_TABLES: Record<EntryKind, EntryTable> = {
  galgame: {
    table: 'galgames',
    required: 'origin_title',
    columns: {
      ...nullable('origin_title', 'trans_title', 'release_date', 'origin_intro', 'trans_intro', 'adv_type'),
      ...nullable('homepage', 'engine', 'origin_lang', 'dev_status'),
      aliases: [],
      covers: [],
      images: [],
      release_date_tbd: false,
      release_date_tbd_note: '',
      platforms: [],
      prices: [],
    },
  },
  light_novel: {
    table: 'light_novels',
    required: 'name',
    columns: {
      ...nullable('name', 'name_cn', 'publication_date', 'summary', 'summary_cn'),
      other_names: [],
      covers: [],
      novel_status: 'SERIALIZING',
      total_volumes: 0,
    },
  },
  manga: {
    table: 'mangas',
    required: 'name',
    columns: {
      ...nullable('name', 'name_cn', 'origin_country', 'audience', 'latest_chapter_at', 'publication_date'),
      ...nullable('publication_end_date', 'homepage', 'isbn', 'price_amount', 'price_currency', 'pages'),
      ...nullable('summary', 'summary_cn'),
      other_names: [],
      covers: [],
      serial_status: 'SERIALIZING',
      reading_mode: 'PAGED_RTL',
      editions: [],
    },
  },
  light_novel_volume: {
    table: 'light_novel_volumes',
    required: 'name',
    columns: {
      ...nullable('volume_number', 'volume_label', 'name', 'name_cn', 'publication_date'),
      volume_type: 'MAIN',
      covers: [],
      relation: '',
    },
  },
  manga_volume: {
    table: 'manga_volumes',
    required: 'name',
    columns: nullable('volume_number', 'name', 'name_cn', 'cover', 'isbn', 'publication_date', 'page_count'),
  },
  person: {
    table: 'people',
    required: 'name',
    columns: {
      ...nullable('name', 'trans_name', 'trans_intro', 'image', 'gender', ...TIMES),
      aliases: [],
      intro: '',
      labels: [],
    },
  },
  producer: {
    table: 'producers',
    required: 'name',
    columns: {
      ...nullable('name', 'trans_name', 'intro', 'trans_intro', 'established', 'website', 'logo', ...TIMES),
      type: 'COMPANY',
      aliases: [],
      country: '',
      labels: [],
    },
  },
  character: {
    table: 'characters',
    required: 'name',
    columns: {
      ...nullable(
        'name',
        'trans_name',
        'trans_intro',
        'image',
        'gender',
        'blood_type',
        'birthday_month',
        'birthday_day',
      ),
      ...nullable('height', 'weight', 'bust', 'waist', 'hips', 'cup', 'age', ...TIMES),
      aliases: [],
      intro: '',
      labels: [],
    },
  },
}

export const WORK_KINDS = ['galgame', 'light_novel', 'manga'] as const

/** A list of a work: where its rows go, what it refers to and which of its items are the same twice. */
export type LinkTable = {
  kind: (typeof WORK_KINDS)[number]
  /** Its name in a record's `links`. */
  list: string
  table: string
  owner: string
  target: string
  targetKind: EntryKind
  columns: string[]
  /** Two items of one work with the same target and the same value here are one. */
  distinctBy: string[]
}

export const LINK_TABLES: LinkTable[] = [
  link('galgame', 'staff', 'galgame_staff', 'person', ['role', 'credited_as'], ['role']),
  link('galgame', 'characters', 'galgame_characters', 'character', ['role'], []),
  link('galgame', 'producers', 'galgame_producers', 'producer', ['role'], ['role']),
  {
    ...link('galgame', 'relations', 'galgame_relations', 'galgame', ['relation'], ['relation']),
    target: 'related_galgame_id',
  },
  link('light_novel', 'people', 'light_novel_people', 'person', ['relation', 'note'], ['relation']),
  link('light_novel', 'producers', 'light_novel_producers', 'producer', ['relation', 'note'], ['relation']),
  link('light_novel', 'characters', 'light_novel_characters', 'character', ['role'], []),
  link('manga', 'people', 'manga_people', 'person', ['role', 'note'], ['role']),
  link('manga', 'producers', 'manga_producers', 'producer', ['role', 'note'], ['role']),
  link('manga', 'characters', 'manga_characters', 'character', ['role'], []),
]

/** A null `note` of a manga's credit is written as `''` (§2.7). */
export const LINK_DEFAULTS: Record<string, string> = { 'manga_people.note': '', 'manga_producers.note': '' }

function link(
  kind: LinkTable['kind'],
  list: string,
  table: string,
  targetKind: EntryKind,
  columns: string[],
  distinctBy: string[],
): LinkTable {
  return {
    kind,
    list,
    table,
    owner: `${kind}_id`,
    target: `${targetKind}_id`,
    targetKind,
    columns,
    distinctBy,
  }
}
