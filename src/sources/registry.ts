/** Kinds of things that have ids at other sites: entries and volumes. The id of a volume leads to its work. */
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
export type ExternalSite = {
  /** Hosts of the site's pages. Links use the first host. */
  hosts: readonly [string, ...string[]]
  /** Names of the site that may precede an id in a query. */
  names: readonly string[]
  /** Kinds of entries, keyed by the first path segment of their pages. A plain number is an id of the first kind. */
  pages: Readonly<Record<string, readonly IdKind[]>>
  /** True if ids consist of that segment and a number, such as `v17`. Otherwise ids are plain numbers. */
  isLettered?: boolean
  /** Description of valid ids for the error message. */
  idFormat: string
}

/** Site whose dumps are imported. Its folder in `src/sources/` contains the reader. */
type ImportedSite = ExternalSite & {
  label: string
  attribution: Attribution
  /** Rank among the sources, 1 for the most trusted. Chinese text has its own ranks. */
  rank: { usual: number; chinese: number }
  dump: { title: string; url: string }
  /** Hosts of the site's pictures. The reader builds URLs with the first host. */
  pictureHosts: readonly [string, ...string[]]
}

/** Attribution that the source requires, as it appears in NOTICE. */
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

/** Sources in the order in which the API lists them. */
export const SOURCES = {
  vndb: {
    label: 'VNDB',
    hosts: ['vndb.org'],
    names: ['vndb'],
    pages: { v: ['galgame'], c: ['character'], p: ['producer'], s: ['person'] },
    isLettered: true,
    idFormat: 'v17, c7, p24 or s81; a number alone is of a galgame unless type says otherwise',
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
    idFormat: 'a number: of a subject, or with type of a person, producer or character',
    attribution: {
      name: 'Bangumi 番组计划',
      url: 'https://bgm.tv',
      licences: [{ name: 'CC-BY-SA-3.0', url: 'https://creativecommons.org/licenses/by-sa/3.0/' }],
      notice:
        'Text from Bangumi 番组计划 (https://bgm.tv) and its contributors, CC BY-SA. Rows were converted and trimmed.',
    },
    // Contributors to Bangumi write in Chinese.
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
    idFormat: 'a number: of a series, or with type of a light_novel_volume, person or producer',
    attribution: openDatabase('RanobeDB', 'https://ranobedb.org'),
    rank: { usual: 2, chinese: 3 },
    dump: { title: 'RanobeDB', url: 'https://dumps.ranobedb.org/rndb-db-public-latest.dump.gz' },
    pictureHosts: ['images.ranobedb.org'],
  },
} as const satisfies Record<string, ImportedSite>

export type SourceName = keyof typeof SOURCES
/** Sites that are not imported, but whose ids the sources state. */
export type LinkedSiteName = 'mal' | 'anilist'
export type SiteName = SourceName | LinkedSiteName | 'steam'

/** Pages of books at MyAnimeList and AniList. Anime have separate ids there. */
const BOOKS = {
  names: [],
  pages: { manga: ['light_novel', 'manga'] },
  idFormat: 'the number of a manga or novel',
} as const

/** Sites whose ids are recognized, in the order in which the API lists them. */
export const EXTERNAL_SITES: Readonly<Record<SiteName, ExternalSite>> = {
  ...SOURCES,
  steam: {
    hosts: ['store.steampowered.com'],
    names: ['steam'],
    pages: { app: ['galgame'] },
    idFormat: 'the number of an app',
  },
  mal: { hosts: ['myanimelist.net'], ...BOOKS },
  anilist: { hosts: ['anilist.co'], ...BOOKS },
}

const namesOf = <Name extends string>(table: Readonly<Record<Name, unknown>>) =>
  // as: the keys of this table
  Object.keys(table) as Name[]

export const SITE_NAMES = namesOf(EXTERNAL_SITES)
/** Sites with one id per work, so that the ids identify records. Steam may have several ids per work. */
export const RECORD_ID_SITES = SITE_NAMES.filter((name) => name !== 'steam')

const byRank = (field: keyof ImportedSite['rank']) =>
  namesOf(SOURCES).toSorted((a, b) => SOURCES[a].rank[field] - SOURCES[b].rank[field])

/** Returns a record with one value per source. */
export const bySource = <Value>(make: (source: SourceName) => Value) =>
  // as: one entry for each source
  Object.fromEntries(namesOf(SOURCES).map((source) => [source, make(source)])) as Record<
    SourceName,
    Value
  >

/** Sources, most trusted first. */
export const SOURCE_NAMES = byRank('usual')
/** Sources of Chinese text, most trusted first. */
export const CHINESE_SOURCE_NAMES = byRank('chinese')
