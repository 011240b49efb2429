type Kind = {
  /** Its table, and the name under which statements have its row. */
  table: string
  /** Its segment in paths. */
  path: string
  /** Its heading in the OpenAPI document. */
  tag: string
  /** In names of operations: `getPerson`, `getPeople`. */
  singular: string
  plural: string
  /** What the document calls one of them. */
  description: string
  /** A row of `works` too, with which it shares its id, and what readers rate and collect. */
  isWork: boolean
  /** Columns that lists show of an entry. */
  shown: {
    title: string
    /** Title or name in Chinese. */
    translated: string
    /** Date of release, publication or founding. */
    day: string | null
    /** The picture, or the covers of a work. */
    picture: string
    /** For works: the status of the release or serialization. */
    status: string | null
  }
}

/** The kinds of entries, as columns and the wire name them: the one place that lists them. */
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
    shown: { title: 'name', translated: 'trans_name', day: null, picture: 'image', status: null },
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
    shown: { title: 'name', translated: 'trans_name', day: null, picture: 'image', status: null },
  },
} as const satisfies Record<string, Kind>

export type EntryKind = keyof typeof KINDS
export type WorkKind = {
  [Name in EntryKind]: (typeof KINDS)[Name]['isWork'] extends true ? Name : never
}[EntryKind]

// as: the keys of that very table
export const ENTRY_KINDS = Object.keys(KINDS) as EntryKind[]
export const WORK_KINDS = ENTRY_KINDS.filter(isWorkKind)

/** A value for each kind. */
export const byKind = <Value>(make: (kind: EntryKind) => Value): Record<EntryKind, Value> => ({
  galgame: make('galgame'),
  light_novel: make('light_novel'),
  manga: make('manga'),
  person: make('person'),
  producer: make('producer'),
  character: make('character'),
})

/** A value for each kind of work. */
export const byWorkKind = <Value>(make: (kind: WorkKind) => Value): Record<WorkKind, Value> => ({
  galgame: make('galgame'),
  light_novel: make('light_novel'),
  manga: make('manga'),
})

/** Whether entries of a kind are works. */
export function isWorkKind(kind: EntryKind): kind is WorkKind {
  return KINDS[kind].isWork
}
