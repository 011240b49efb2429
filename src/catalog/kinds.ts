import { keysOf, recordOf } from '../kernel/typed-records.ts'

type Kind = {
  /** Table of the kind. Statements also use this name as the alias of the row. */
  table: string
  /** Path segment. */
  path: string
  /** Heading in the OpenAPI document. */
  tag: string
  /** Used in operation ids: `getPerson`, `getPeople`. */
  singular: string
  plural: string
  /** Description of one entry in the OpenAPI document. */
  description: string
  /** True if users can rate and collect entries of this kind. Each such entry has a row in `works` with the same id. */
  isWork: boolean
  /** Columns shown in lists. */
  shown: {
    title: string
    /** Chinese title or name. */
    translated: string
    english: string | null
    /** Title in Latin letters, for works. For other kinds it is one of the aliases. */
    romaji: string | null
    korean: string | null
    /** Date of release, publication or founding. */
    day: string | null
    /** Picture, or the covers of a work. */
    picture: string
    /** Status of the release or serialization, for works. */
    status: string | null
  }
}

/** All kinds of entries, keyed by their names in columns and the API. */
export const KINDS = {
  galgame: {
    table: 'galgames',
    path: 'galgames',
    tag: 'Galgames',
    singular: 'Galgame',
    plural: 'Galgames',
    description: 'A galgame',
    isWork: true,
    shown: {
      title: 'origin_title',
      translated: 'trans_title',
      english: 'en_title',
      romaji: 'romaji_title',
      korean: 'ko_title',
      day: 'release_date',
      picture: 'covers',
      status: 'dev_status',
    },
  },
  light_novel: {
    table: 'light_novels',
    path: 'light-novels',
    tag: 'Light novels',
    singular: 'LightNovel',
    plural: 'LightNovels',
    description: 'A light novel',
    isWork: true,
    shown: {
      title: 'name',
      translated: 'name_cn',
      english: 'en_name',
      romaji: 'romaji_name',
      korean: 'ko_name',
      day: 'publication_date',
      picture: 'covers',
      status: 'novel_status',
    },
  },
  manga: {
    table: 'mangas',
    path: 'mangas',
    tag: 'Mangas',
    singular: 'Manga',
    plural: 'Mangas',
    description: 'A manga',
    isWork: true,
    shown: {
      title: 'name',
      translated: 'name_cn',
      english: 'en_name',
      romaji: 'romaji_name',
      korean: 'ko_name',
      day: 'publication_date',
      picture: 'covers',
      status: 'serial_status',
    },
  },
  person: {
    table: 'people',
    path: 'people',
    tag: 'People',
    singular: 'Person',
    plural: 'People',
    description: 'A person',
    isWork: false,
    shown: {
      title: 'name',
      translated: 'trans_name',
      english: null,
      romaji: null,
      korean: null,
      day: null,
      picture: 'image',
      status: null,
    },
  },
  producer: {
    table: 'producers',
    path: 'producers',
    tag: 'Producers',
    singular: 'Producer',
    plural: 'Producers',
    description: 'A producer: a company, circle, publisher, magazine or label',
    isWork: false,
    shown: {
      title: 'name',
      translated: 'trans_name',
      english: null,
      romaji: null,
      korean: null,
      day: 'established',
      picture: 'logo',
      status: null,
    },
  },
  character: {
    table: 'characters',
    path: 'characters',
    tag: 'Characters',
    singular: 'Character',
    plural: 'Characters',
    description: 'A character',
    isWork: false,
    shown: {
      title: 'name',
      translated: 'trans_name',
      english: 'en_name',
      romaji: null,
      korean: null,
      day: null,
      picture: 'image',
      status: null,
    },
  },
} as const satisfies Record<string, Kind>

export type EntryKind = keyof typeof KINDS
export type WorkKind = {
  [Name in EntryKind]: (typeof KINDS)[Name]['isWork'] extends true ? Name : never
}[EntryKind]

export const ENTRY_KINDS = keysOf(KINDS)
export const WORK_KINDS = ENTRY_KINDS.filter(isWorkKind)

/** Returns a record with one value per kind. */
export const byKind = <Value>(make: (kind: EntryKind) => Value) => recordOf(ENTRY_KINDS, make)

/** Returns a record with one value per kind of work. */
export const byWorkKind = <Value>(make: (kind: WorkKind) => Value) => recordOf(WORK_KINDS, make)

export function isWorkKind(kind: EntryKind): kind is WorkKind {
  return KINDS[kind].isWork
}
