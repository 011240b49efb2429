import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { toIsbn13 } from '../../kernel/isbn.ts'
import { SOURCES } from '../registry.ts'
import { fullDay, integerOf, isTrue, partialDate } from '../dump/tables/copy-text.ts'
import type { Cover } from '../records/record-fields.ts'
import {
  childRows,
  tableColumns,
  itemColumns,
  streamLists,
  type ListParts,
  type PartsOf,
} from '../dump/tables/lists.ts'

/** Book in a series, with the data that its volume and its series use. */
export type Place = {
  id: string
  type: string | null
  order: string | null
  /** False if the book is a volume of another series. */
  isVolume: boolean
  olang: string | null
  titles: Title[]
  dates: PublicationDates
  cover: Cover | null
  nsfw: boolean
  credits: Credit[]
  imprints: Imprint[]
  releases: Release[]
}

/** Title of a series or book in one language. */
export type Title = { lang: string; title: string; romaji: string | null }

type Credit = { person: string; role: string; note: string | null }
type Imprint = { publisher: string; role: string; lang: string | null }

/** Release that contains only one book. Releases of an omnibus or a box set describe none of their books. */
type Release = {
  lang: string | null
  isPrinted: boolean
  isbn: string | undefined
  pages: number | null
}

/** Row of `dump_places` with its book and image. */
export type PlaceRow = { n: number; id: string; is_volume: boolean } & Record<
  | 'book_type'
  | 'sort_order'
  | 'olang'
  | 'release_date'
  | 'c_release_date'
  | 'filename'
  | 'nsfw'
  | 'width'
  | 'height',
  string | null
>

/** Books in a series. */
export const PLACE_PARTS: ListParts<PlaceRow> = {
  from: sql`
    dump_places item
    join dump_series parent on parent.n = item.series
    left join dump_image image on image.id = item.image_id`,
  columns: {
    ...itemColumns('n', 'id', 'book_type', 'sort_order', 'is_volume', 'olang'),
    ...itemColumns('release_date', 'c_release_date'),
    ...tableColumns('image', 'filename', 'nsfw', 'width', 'height'),
  },
}

type BookItems = {
  titles: Title
  credits: Credit
  imprints: Imprint
  releases: Record<'lang' | 'format' | 'isbn13' | 'pages', string | null>
}

const BOOK_LISTS: PartsOf<BookItems> = {
  titles: {
    from: childRows('book_title', 'places', 'book_id'),
    columns: itemColumns('lang', 'title', 'romaji'),
  },
  credits: {
    from: sql`
      ${childRows('book_staff_alias', 'places', 'book_id')}
      join dump_staff_alias alias on alias.id = item.staff_alias_id`,
    columns: { person: 'alias.staff_id', role: 'item.role_type', note: 'item.note' },
    where: sql`alias.staff_id <> ''`,
  },
  imprints: {
    from: sql`
      (
        select
          row_number() over (order by release.n, published.n) as n,
          release.id, release.lang, published.publisher_id, published.publisher_type
        from dump_release release
        join dump_release_publisher published on published.release_id = release.id
      ) item
      join dump_release_book held on held.release_id = item.id
      join dump_places parent on parent.id = held.book_id`,
    columns: { publisher: 'item.publisher_id', role: 'item.publisher_type', lang: 'item.lang' },
  },
  releases: {
    from: sql`
      dump_release item
      join (
        select release_id, min(book_id) as book_id from dump_release_book group by release_id having count(*) = 1
      ) held on held.release_id = item.id
      join dump_places parent on parent.id = held.book_id`,
    columns: itemColumns('lang', 'format', 'isbn13', 'pages'),
  },
}

/**
 * Returns a function that completes rows of `PLACE_PARTS` with their lists. Pass the rows in ascending order of `n`.
 */
export function streamBooks(trx: Database): (row: PlaceRow) => Promise<Place> {
  const listsOf = streamLists(trx, 'places', BOOK_LISTS)
  return async (row) => {
    const { titles, credits, imprints, releases } = await listsOf(row.n)
    return {
      id: row.id,
      type: row.book_type,
      order: row.sort_order,
      isVolume: row.is_volume,
      olang: row.olang,
      titles,
      dates: publicationDates(row.c_release_date, row.release_date),
      cover: row.filename === null ? null : coverOf(row.filename, row),
      nsfw: isTrue(row.nsfw),
      credits: credits.map((credit) => ({ ...credit, note: credit.note || null })),
      imprints,
      releases: releases.map(({ lang, format, isbn13, pages }) => ({
        lang,
        isPrinted: format === 'print',
        isbn: toIsbn13(isbn13 ?? ''),
        pages: integerOf(pages),
      })),
    }
  }
}

/** RanobeDB does not grade violence, and only flags nudity. */
const coverOf = (filename: string, { nsfw, width, height }: PlaceRow): Cover => ({
  url: `https://${SOURCES.ranobedb.pictureHosts[0]}/${filename}`,
  width: Number(width) || null,
  height: Number(height) || null,
  sexual: isTrue(nsfw) ? 2 : 0,
  violence: 0,
  votes: 0,
})

/** Date as stored in two fields: the full day, or the known part. */
export type PublicationDates = {
  publication_date: string | null
  publication_date_text: string | null
}

/**
 * Returns the first full date, or else the first partial one.
 *
 * @param columns numbers in the form YYYYMMDD, with 99 for an unknown part
 */
export function publicationDates(...columns: (string | null)[]): PublicationDates {
  const day = columns.map(fullDay).find((date) => date !== null) ?? null
  const parts = day === null ? columns.map(partialDate) : []
  return {
    publication_date: day,
    publication_date_text: parts.find((date) => date !== null) ?? null,
  }
}
