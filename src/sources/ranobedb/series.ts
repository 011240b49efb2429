import { distinctBy } from '../../kernel/distinct-by.ts'
import { integerOf, otherNames } from '../dump/tables/copy-text.ts'
import type { ExternalLink } from '../records/record-fields.ts'
import type { LightNovelLinks } from '../records/record-links.ts'
import type { SameAs, SourceRecord } from '../records/record.ts'
import {
  chineseTitle,
  englishTitle,
  koreanTitle,
  originTitle,
  romajiTitle,
} from '../records/titles.ts'
import { distinctLinks, linkToSite, linkToWebsite } from '../records/web-sites.ts'
import { publicationDates, type Place, type Title } from './books.ts'
import { CREDITS, IMPRINTS, STATUS } from './codes.ts'
import type { SERIES_COLUMNS } from './tables.ts'

export type SeriesRow = { n: number } & Record<(typeof SERIES_COLUMNS)[number], string | null>

/** Sites with a page of the series, each with the column that contains the id at that site. */
const SITES = {
  bookwalker: 'bookwalker_id',
  mal: 'mal_id',
  anilist: 'anilist_id',
  anidb: 'anidb_id',
  wikidata: 'wikidata_id',
} as const

/** Tags that mark adult series. */
const ADULT_TAGS = new Set(['hentai', '18+'])

/** Data about a series from other tables. Books are in the order of the series. */
type SeriesParts = { titles: Title[]; tags: string[]; places: Place[] }

/**
 * Returns the record of a series with the people and publishers of all its books, each once per relation.
 *
 * A publisher that published only translations gets a note with the language of the first one (`en`). The English
 * description is dropped: it is neither in the original language nor in Chinese. Editors assign the tags, so tags have
 * no likes.
 */
export function seriesRecord(
  row: SeriesRow & { id: string },
  { titles, tags, places }: SeriesParts,
): SourceRecord {
  const name = originTitle(titles, row.olang)
  const nameCn = chineseTitle(titles, row.olang)
  const named = titles.map((title) => ({ ...title, latin: title.romaji }))
  const cover = places.find((place) => place.type !== 'sub' && place.cover)?.cover
  return {
    kind: 'light_novel',
    external_id: row.id,
    same_as: sameAs(row),
    fields: {
      name,
      name_cn: nameCn,
      en_name: englishTitle(titles),
      romaji_name: romajiTitle(named, row.olang),
      ko_name: koreanTitle(titles, row.olang),
      other_names: otherNames(
        [name, nameCn],
        [row.aliases, ...titles.flatMap(({ title, romaji }) => [title, romaji])],
      ),
      covers: cover && [cover],
      ...publicationDates(row.start_date, row.c_start_date),
      novel_status: STATUS[row.publication_status ?? ''],
      total_volumes:
        integerOf(row.c_num_books) ?? places.filter(({ type }) => type !== 'sub').length,
      external_links: externalLinks(row),
      tags: [...new Set(tags)].map((tag) => ({ name: tag, likes: 0 })),
      nsfw: tags.some((tag) => ADULT_TAGS.has(tag)) || places.some(({ nsfw }) => nsfw),
    },
    links: {
      volumes: places.filter(({ isVolume }) => isVolume).map((place) => ({ ref: place.id })),
      people: peopleOf(places),
      producers: producersOf(places, row.olang),
    },
  }
}

function sameAs(row: SeriesRow): SameAs[] {
  return (['mal', 'anilist', 'wikidata'] as const).flatMap((source) => {
    const id = positiveId(row[SITES[source]])
    return id ? [{ source, external_id: id }] : []
  })
}

function externalLinks(row: SeriesRow): ExternalLink[] {
  return distinctLinks([
    linkToWebsite(row.website),
    ...Object.entries(SITES).map(([name, column]) => {
      const id = positiveId(row[column])
      return id ? linkToSite(name, id) : undefined
    }),
  ])
}

/** Returns an id if it is a plain positive number. */
const positiveId = (column: string | null) =>
  column !== null && /^[1-9]\d*$/.test(column) ? column : null

function peopleOf(books: Place[]): LightNovelLinks['people'] {
  const credits = books.flatMap((book) => book.credits)
  return distinctBy(
    Object.entries(CREDITS).flatMap(([role, relation]) =>
      credits
        .filter((credit) => credit.role === role)
        .map(({ person, note }) => ({ ref: person, relation, note })),
    ),
    linkKey,
  )
}

function producersOf(books: Place[], olang: string | null): LightNovelLinks['producers'] {
  const imprints = books.flatMap((book) => book.imprints)
  const original = imprints.filter(({ lang }) => lang === olang)
  const translated = imprints.filter(({ lang }) => lang !== olang)
  return distinctBy(
    [...original, ...translated].flatMap(({ publisher, role, lang }) => {
      const relation = IMPRINTS[role]
      return relation ? [{ ref: publisher, relation, note: lang === olang ? null : lang }] : []
    }),
    linkKey,
  )
}

const linkKey = ({ ref, relation }: { ref: string; relation: string }) => `${relation} ${ref}`
