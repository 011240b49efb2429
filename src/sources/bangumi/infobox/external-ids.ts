import { ENTRY_KINDS } from '../../../catalog/kinds.ts'
import { EXTERNAL_SITES, SOURCES, type LinkedSiteName, type SourceName } from '../../registry.ts'
import type { RecordKind } from '../../records/record-kinds.ts'
import type { Mention } from '../../records/record-links.ts'
import type { SameAs } from '../../records/record.ts'
import type { InfoboxReader } from './infobox-reader.ts'

type Page = { at: RegExp; source: SameAs['source']; kinds: readonly RecordKind[] | undefined }

const pageOf = (source: SourceName | LinkedSiteName, page: string, url: string): Page => ({
  at: new RegExp(`^https?://${url}/?$`),
  source,
  kinds: EXTERNAL_SITES[source].pages[page],
})

/**
 * Patterns of URLs that contain an id of the same thing, at sites that are imported or that other sources also name.
 */
const PAGES: readonly Page[] = [
  ...Object.keys(SOURCES.vndb.pages).map((letter) =>
    pageOf('vndb', letter, String.raw`(?:www\.)?vndb\.org/(${letter}[1-9]\d*)`),
  ),
  pageOf('ranobedb', 'series', String.raw`ranobedb\.org/series/([1-9]\d*)`),
  pageOf('mal', 'manga', String.raw`myanimelist\.net/manga/([1-9]\d*)(?:/[^/]*)?`),
  pageOf('anilist', 'manga', String.raw`anilist\.co/manga/([1-9]\d*)(?:/[^/]*)?`),
  {
    at: /^https?:\/\/(?:www\.)?wikidata\.org\/(?:wiki|entity)\/Q([1-9]\d*)\/?$/,
    source: 'wikidata',
    kinds: ENTRY_KINDS,
  },
]

const SITE_NAMES: Partial<Record<SameAs['source'], string>> = {
  vndb: 'vndb|visual novel database',
  ranobedb: 'ranobedb',
  mal: 'mal|myanimelist',
  anilist: 'anilist',
  wikidata: 'wikidata|维基数据',
}

/** Returns true if a label only names the site. A label such as `本篇` or `漫画版` refers to another work. */
const namesSite = (label: string, source: SameAs['source']) =>
  label === '' ||
  new RegExp(
    `^(?:${SITE_NAMES[source]})(?:\\.\\w+)?\\s*(?:条目|页面|链接|ページ|page|id)?$`,
    'i',
  ).test(label)

/** Returns the ids in the list of links, each with its label. */
const labeledIds = (infobox: InfoboxReader, kind: RecordKind): (SameAs & Mention)[] =>
  infobox.links().flatMap(({ label, url }) =>
    PAGES.flatMap(({ at, source, kinds }) => {
      const id = kinds?.includes(kind) ? at.exec(url)?.[1] : undefined
      return id === undefined ? [] : [{ source, external_id: id, label: label.trim() }]
    }),
  )

/** Returns ids of the same entry: those of links without a label, or whose label is the site's name. */
export const externalIdsIn = (infobox: InfoboxReader, kind: RecordKind): SameAs[] =>
  labeledIds(infobox, kind)
    .filter(({ source, label }) => namesSite(label, source))
    .map(({ source, external_id }) => ({ source, external_id }))

/** Returns ids with any other label, which may belong to a related work. */
export const mentionsIn = (infobox: InfoboxReader, kind: RecordKind): Mention[] =>
  labeledIds(infobox, kind).filter(({ source, label }) => !namesSite(label, source))

export const isbnAsId = (isbn: string | undefined): SameAs[] =>
  isbn === undefined ? [] : [{ source: 'isbn', external_id: isbn }]
