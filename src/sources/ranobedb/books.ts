import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { toIsbn13 } from '../../kernel/isbn.ts'
import { SOURCES } from '../registry.ts'
import { integerOf, isTrue } from '../dump/tables/copy-text.ts'
import type { Cover } from '../records/record-fields.ts'
import type { GroupStream } from '../dump/tables/row-streams.ts'
import { childRows, listsBy } from '../dump/tables/lists.ts'
import { publicationDates, type PublicationDates } from './publication-dates.ts'

/** A book in its place in a series, with everything that its volume and its series take from it. */
export type Place = {
  id: string
  type: string | null
  order: string | null
  /** Whether it is a volume of this series and not of another. */
  isVolume: boolean
  olang: string | null
  titles: Titles
  dates: PublicationDates
  cover: Cover | null
  nsfw: boolean
  credits: Credit[]
  imprints: Imprint[]
  releases: Release[]
}

/** Titles of one series or book by language, in file order. */
export type Titles = { lang: string; title: string; romaji: string | null }[]

type Credit = { person: string; role: string; note: string | null }
type Imprint = { publisher: string; role: string; lang: string | null }

/** A release that holds no other book: that of an omnibus or a box set says nothing of any of its books. */
type Release = {
  lang: string | null
  isPrinted: boolean
  isbn: string | undefined
  pages: number | null
}

export type TitleRow = [lang: string, title: string, romaji: string | null]
type CreditRow = [person: string, role: string, note: string | null]
type ImprintRow = [publisher: string, role: string, lang: string | null]
type ReleaseRow = [
  lang: string | null,
  format: string | null,
  isbn13: string | null,
  pages: string | null,
]

/** As columns: those of the place, of its book and of its image. */
type PlaceRow = [
  n: number,
  id: string,
  type: string | null,
  order: string | null,
  isVolume: boolean,
  olang: string | null,
  released: string | null,
  firstReleased: string | null,
  filename: string | null,
  nsfw: string | null,
  width: string | null,
  height: string | null,
]

/** Reads the books of all series beside the series. @returns those of the series at place `n`, which only rises */
export function streamPlaces(trx: Database): (n: number) => Promise<Place[]> {
  const places = listsBy<PlaceRow>(trx, 'places', {
    from: sql`
      dump_places item
      join dump_series parent on parent.n = item.series
      left join dump_image image on image.id = item.image_id`,
    columns: [
      'item.n',
      'item.id',
      'item.book_type',
      'item.sort_order',
      'item.is_volume',
      'item.olang',
      'item.release_date',
      'item.c_release_date',
      'image.filename',
      'image.nsfw',
      'image.width',
      'image.height',
    ],
  })
  const partsOf = streamParts(trx)
  return async (n) => {
    const found: Place[] = []
    for (const row of await places.take(n)) found.push(await toPlace(row, partsOf))
    return found
  }
}

type Parts = {
  titles: GroupStream<TitleRow>
  credits: GroupStream<CreditRow>
  imprints: GroupStream<ImprintRow>
  releases: GroupStream<ReleaseRow>
}

/** What of a place stands in other tables. */
const streamParts = (trx: Database): Parts => ({
  titles: listsBy(trx, 'book_titles', {
    from: childRows('book_title', 'places', 'book_id'),
    columns: ['item.lang', 'item.title', 'item.romaji'],
  }),
  credits: listsBy(trx, 'credits', {
    from: sql`
      ${childRows('book_staff_alias', 'places', 'book_id')}
      join dump_staff_alias alias on alias.id = item.staff_alias_id`,
    columns: ['alias.staff_id', 'item.role_type', 'item.note'],
    where: sql`alias.staff_id <> ''`,
  }),
  imprints: listsBy(trx, 'imprints', {
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
    columns: ['item.publisher_id', 'item.publisher_type', 'item.lang'],
  }),
  releases: listsBy(trx, 'book_releases', {
    from: sql`
      dump_release item
      join (
        select release_id, min(book_id) as book_id from dump_release_book group by release_id having count(*) = 1
      ) held on held.release_id = item.id
      join dump_places parent on parent.id = held.book_id`,
    columns: ['item.lang', 'item.format', 'item.isbn13', 'item.pages'],
  }),
})

async function toPlace(row: PlaceRow, parts: Parts): Promise<Place> {
  const [
    n,
    id,
    type,
    order,
    isVolume,
    olang,
    released,
    firstReleased,
    filename,
    nsfw,
    width,
    height,
  ] = row
  return {
    id,
    type,
    order,
    isVolume,
    olang,
    titles: toTitles(await parts.titles.take(n)),
    dates: publicationDates(firstReleased, released),
    cover: filename === null ? null : coverOf(filename, isTrue(nsfw), width, height),
    nsfw: isTrue(nsfw),
    credits: (await parts.credits.take(n)).map(([person, role, note]) => ({
      person,
      role,
      note: note || null,
    })),
    imprints: (await parts.imprints.take(n)).map(([publisher, role, lang]) => ({
      publisher,
      role,
      lang,
    })),
    releases: (await parts.releases.take(n)).map(([lang, format, isbn13, pages]) => ({
      lang,
      isPrinted: format === 'print',
      isbn: toIsbn13(isbn13 ?? ''),
      pages: integerOf(pages),
    })),
  }
}

export const toTitles = (rows: TitleRow[]): Titles =>
  rows.map(([lang, title, romaji]) => ({ lang, title, romaji }))

/** RanobeDB grades no violence, and of nudity knows only whether there is any. */
const coverOf = (
  filename: string,
  nsfw: boolean,
  width: string | null,
  height: string | null,
): Cover => ({
  url: `https://${SOURCES.ranobedb.pictureHosts[0]}/${filename}`,
  width: Number(width) || null,
  height: Number(height) || null,
  sexual: nsfw ? 2 : 0,
  violence: 0,
  votes: 0,
})
