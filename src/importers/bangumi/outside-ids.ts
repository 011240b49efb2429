import type { RecordKind } from '../record-kinds.ts'
import type { SameAs } from '../record.ts'
import type { InfoboxReader } from './infobox-reader.ts'

/** Addresses whose id is of the very thing, at sites that are loaded or that other sources name. */
const PAGES: readonly { at: RegExp; source: SameAs['source']; kinds: readonly RecordKind[] }[] = [
  { at: /^https?:\/\/(?:www\.)?vndb\.org\/(v[1-9]\d*)\/?$/, source: 'vndb', kinds: ['galgame'] },
  { at: /^https?:\/\/(?:www\.)?vndb\.org\/(c[1-9]\d*)\/?$/, source: 'vndb', kinds: ['character'] },
  { at: /^https?:\/\/(?:www\.)?vndb\.org\/(s[1-9]\d*)\/?$/, source: 'vndb', kinds: ['person'] },
  { at: /^https?:\/\/(?:www\.)?vndb\.org\/(p[1-9]\d*)\/?$/, source: 'vndb', kinds: ['producer'] },
  {
    at: /^https?:\/\/ranobedb\.org\/series\/([1-9]\d*)\/?$/,
    source: 'ranobedb',
    kinds: ['light_novel'],
  },
  {
    at: /^https?:\/\/myanimelist\.net\/manga\/([1-9]\d*)(?:\/[^/]*)?\/?$/,
    source: 'mal',
    kinds: ['light_novel', 'manga'],
  },
  {
    at: /^https?:\/\/anilist\.co\/manga\/([1-9]\d*)(?:\/[^/]*)?\/?$/,
    source: 'anilist',
    kinds: ['light_novel', 'manga'],
  },
  {
    at: /^https?:\/\/(?:www\.)?wikidata\.org\/(?:wiki|entity)\/Q([1-9]\d*)\/?$/,
    source: 'wikidata',
    kinds: ['galgame', 'light_novel', 'manga', 'person', 'producer', 'character'],
  },
]

/** Ids of the same thing elsewhere, as far as the infobox links to its pages there. */
export function outsideIdsIn(infobox: InfoboxReader, kind: RecordKind): SameAs[] {
  return infobox.links().flatMap((address) =>
    PAGES.flatMap(({ at, source, kinds }) => {
      const id = kinds.includes(kind) ? at.exec(address)?.[1] : undefined
      return id === undefined ? [] : [{ source, external_id: id }]
    }),
  )
}

/** The ISBN of a single volume. */
export const isbnAsId = (isbn: string | undefined): SameAs[] =>
  isbn === undefined ? [] : [{ source: 'isbn', external_id: isbn }]
