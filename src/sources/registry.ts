/** Kinds of things that sites assign ids to: entries, and volumes, which stand for their work. */
export const ID_KINDS = [
  'galgame',
  'light_novel',
  'light_novel_volume',
  'manga',
  'manga_volume',
  'person',
  'producer',
  'character',
] as const
export type IdKind = (typeof ID_KINDS)[number]

/** A site whose ids lead to entries of the catalog. */
export type OutsideSite = {
  /** Hosts of its pages; links lead to the first. */
  hosts: readonly [string, ...string[]]
  /** Names that a query may put before an id. */
  names: readonly string[]
  /** Kinds of its pages, by the first segment of their path. A bare number is an id of the first. */
  pages: Readonly<Record<string, readonly IdKind[]>>
  /** True if ids consist of that segment and a number, such as `v17`. Otherwise they are plain numbers. */
  isLettered?: boolean
  /** Description of valid ids, for the error that rejects others. */
  idForm: string
}

/** A source: a site whose dumps are imported. They are read by its folder in `src/sources/`. */
type Source = OutsideSite & {
  /** Its name in links. */
  label: string
  attribution: Attribution
  /** Rank among the sources, 1 for the most trusted: for most fields, and for fields in Chinese. */
  rank: { usual: number; chinese: number }
  dump: { title: string; url: string }
  /** Hosts of its pictures; addresses built by the reader use the first. */
  pictureHosts: readonly [string, ...string[]]
}

/** Attribution that a source requires, as in NOTICE. */
type Attribution = {
  name: string
  url: string
  licences: { name: string; url: string }[]
  notice: string
}

const openDatabase = (name: string, url: string): Attribution => ({
  name,
  url,
  licences: [
    { name: 'ODbL-1.0', url: 'https://opendatacommons.org/licenses/odbl/1-0/' },
    { name: 'DbCL-1.0', url: 'https://opendatacommons.org/licenses/dbcl/1-0/' },
  ],
  notice:
    `Contains information from ${name} (${url}), which is made available under the Open Database License 1.0, contents ` +
    'under the Database Contents License 1.0. A public database made from it is a derivative database and must be ' +
    'offered under ODbL with this notice.',
})

/** The sources, one row each, in the order in which the API lists them. */
export const SOURCES = {
  vndb: {
    label: 'VNDB',
    hosts: ['vndb.org'],
    names: ['vndb'],
    pages: { v: ['galgame'], c: ['character'], p: ['producer'], s: ['person'] },
    isLettered: true,
    idForm: 'v17, c7, p24 or s81; a number alone is of a galgame unless type says otherwise',
    attribution: openDatabase('VNDB', 'https://vndb.org'),
    rank: { usual: 1, chinese: 2 },
    dump: { title: 'VNDB', url: 'https://dl.vndb.org/dump/vndb-db-latest.tar.zst' },
    pictureHosts: ['t.vndb.org', 's2.vndb.org'],
  },
  bangumi: {
    label: 'Bangumi',
    hosts: ['bgm.tv', 'bangumi.tv', 'chii.in'],
    names: ['bgm', 'bangumi'],
    pages: {
      subject: ['galgame', 'light_novel', 'manga', 'light_novel_volume', 'manga_volume'],
      character: ['character'],
      person: ['person', 'producer'],
    },
    idForm: 'a number: of a subject, or with type of a person, producer or character',
    attribution: {
      name: 'Bangumi 番组计划',
      url: 'https://bgm.tv',
      licences: [{ name: 'CC-BY-SA-3.0', url: 'https://creativecommons.org/licenses/by-sa/3.0/' }],
      notice:
        'Text from Bangumi 番组计划 (https://bgm.tv) and its contributors, CC BY-SA. Rows were converted and trimmed.',
    },
    // Bangumi is where Chinese readers write.
    rank: { usual: 3, chinese: 1 },
    dump: {
      title: 'Bangumi Archive',
      url: 'https://raw.githubusercontent.com/bangumi/Archive/master/aux/latest.json',
    },
    pictureHosts: ['lain.bgm.tv'],
  },
  ranobedb: {
    label: 'RanobeDB',
    hosts: ['ranobedb.org'],
    names: ['ranobedb'],
    pages: {
      series: ['light_novel'],
      book: ['light_novel_volume'],
      staff: ['person'],
      publisher: ['producer'],
    },
    idForm: 'a number: of a series, or with type of a light_novel_volume, person or producer',
    attribution: openDatabase('RanobeDB', 'https://ranobedb.org'),
    rank: { usual: 2, chinese: 3 },
    dump: { title: 'RanobeDB', url: 'https://dumps.ranobedb.org/rndb-db-public-latest.dump.gz' },
    pictureHosts: ['images.ranobedb.org'],
  },
} as const satisfies Record<string, Source>

export type SourceName = keyof typeof SOURCES
/** Sites without imports, whose ids the sources state. */
export type LinkedSiteName = 'mal' | 'anilist'
export type SiteName = SourceName | LinkedSiteName | 'steam'

/** Ids of books, not of anime. */
const BOOKS = {
  names: [],
  pages: { manga: ['light_novel', 'manga'] },
  idForm: 'the number of a manga or novel',
} as const

/** Every site whose ids are understood, in the order in which the API lists them. */
export const OUTSIDE_SITES: Readonly<Record<SiteName, OutsideSite>> = {
  ...SOURCES,
  steam: {
    hosts: ['store.steampowered.com'],
    names: ['steam'],
    pages: { app: ['galgame'] },
    idForm: 'the number of an app',
  },
  mal: { hosts: ['myanimelist.net'], ...BOOKS },
  anilist: { hosts: ['anilist.co'], ...BOOKS },
}

const namesOf = <Name extends string>(table: Readonly<Record<Name, unknown>>) =>
  // as: the keys of that very table
  Object.keys(table) as Name[]

export const SITE_NAMES = namesOf(OUTSIDE_SITES)
/** Sites whose ids are ids of records. Each has one id for a work, whereas Steam has several. */
export const RECORDED_SITES = SITE_NAMES.filter((name) => name !== 'steam')

const byRank = (field: keyof Source['rank']) =>
  namesOf(SOURCES).toSorted((one, other) => SOURCES[one].rank[field] - SOURCES[other].rank[field])

/** A value for each source. */
export const bySource = <Value>(make: (source: SourceName) => Value) =>
  // as: one entry for each source
  Object.fromEntries(namesOf(SOURCES).map((source) => [source, make(source)])) as Record<
    SourceName,
    Value
  >

/** Sources, the most trusted first. */
export const SOURCE_NAMES = byRank('usual')
/** Same for texts in Chinese. */
export const CHINESE_SOURCE_NAMES = byRank('chinese')
