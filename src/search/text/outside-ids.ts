import { toIsbn13 } from '../../kernel/isbn.ts'

/**
 * An entry, or a volume of one, by its id elsewhere: thirteen digits of an ISBN, or the id as records of a source have it,
 * and the kinds of records it may be of.
 */
export type OutsideId =
  | { isbn: string }
  | { source: keyof typeof PAGES; external_id: string; kinds: readonly string[] }

/** What a page at a site is of, by the first part of its path; at VNDB by the letter of its id. */
const PAGES = {
  vndb: { v: ['galgame'], c: ['character'], p: ['producer'], s: ['person'] },
  bangumi: {
    subject: ['galgame', 'light_novel', 'manga', 'light_novel_volume', 'manga_volume'],
    character: ['character'],
    person: ['person', 'producer'],
  },
  ranobedb: {
    series: ['light_novel'],
    book: ['light_novel_volume'],
    staff: ['person'],
    publisher: ['producer'],
  },
  steam: { app: ['galgame'] },
  mal: { manga: ['light_novel', 'manga'] },
  anilist: { manga: ['light_novel', 'manga'] },
} as const satisfies Record<string, Record<string, readonly string[]>>
const SITES: Readonly<Record<string, keyof typeof PAGES>> = {
  vndb: 'vndb',
  'vndb.org': 'vndb',
  bgm: 'bangumi',
  'bgm.tv': 'bangumi',
  bangumi: 'bangumi',
  'bangumi.tv': 'bangumi',
  'chii.in': 'bangumi',
  ranobedb: 'ranobedb',
  'ranobedb.org': 'ranobedb',
  steam: 'steam',
  'store.steampowered.com': 'steam',
  'myanimelist.net': 'mal',
  'anilist.co': 'anilist',
}
/** What a number alone is of, behind the name of a site. */
const USUAL_PAGE = {
  vndb: 'v',
  bangumi: 'subject',
  ranobedb: 'series',
  steam: 'app',
  mal: 'manga',
  anilist: 'manga',
} as const

const ISBN = /^(?:isbn(?:-?1[03])?[ :]{0,3})?(\d[\d -]{8,18}[\dx])$/
/** Bare ids, without `id:`, are accepted only with the prefix `v`: other prefixes are too ambiguous. */
const BARE = /^(?:(v)|id ?: ?([vcps]))(\d{1,9})$/
const PREFIXED = /^(vndb|bgm|bangumi|ranobedb|steam)[ :#-]{1,3}(?:([a-z]{1,9})[ :#/-]?)?(\d{1,9})$/
const ADDRESS =
  /(?:^|[\s./])(vndb\.org|bgm\.tv|bangumi\.tv|chii\.in|ranobedb\.org|store\.steampowered\.com|myanimelist\.net|anilist\.co)\/(?:([a-z]{2,9})\/|([vcps]))(\d{1,9})(?![0-9a-z])/

/** The ids that a query names: it is one, or it has an address in it. Empty for most. */
export function findOutsideIds(query: string): OutsideId[] {
  const text = query
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\p{Dash}/gu, '-')
    .trim()
  const isbn = toIsbn13((ISBN.exec(text)?.[1] ?? '').replaceAll(/[ -]/g, '').toUpperCase())
  if (isbn !== undefined) return [{ isbn }]
  const bare = BARE.exec(text)
  if (bare) return idOf('vndb', bare[1] ?? bare[2], bare[3])
  const prefixed = PREFIXED.exec(text)
  if (prefixed) return idOf(prefixed[1], prefixed[2], prefixed[3])
  const address = ADDRESS.exec(text)
  return address ? idOf(address[1], address[2] ?? address[3], address[4]) : []
}

function idOf(siteName = '', page: string | undefined, digits: string | undefined): OutsideId[] {
  const source = SITES[siteName]
  if (source === undefined) return []
  const pages: Readonly<Record<string, readonly string[]>> = PAGES[source]
  const name = page ?? USUAL_PAGE[source]
  const kinds = Object.hasOwn(pages, name) ? pages[name] : undefined
  if (!kinds) return []
  const number = String(Number(digits))
  return [{ source, external_id: source === 'vndb' ? name + number : number, kinds }]
}
