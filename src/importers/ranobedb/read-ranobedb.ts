import { groupRows, integerOf, readTable } from '../copy-text.ts'
import type { DumpReading } from '../dump/reading.ts'
import type { SourceRecord } from '../record.ts'
import { originTitle } from '../titles.ts'
import { type Book, readBooks, readTitles } from './books.ts'
import { readShown } from './dump.ts'
import { readPublishers } from './publishers.ts'
import { SERIES_COLUMNS, seriesRecord } from './series.ts'
import { readStaff } from './staff.ts'
import { type SeriesPlace, volumeRecord } from './volumes.ts'

/**
 * Everything a RanobeDB dump says: publishers, then people, then each series after its volumes.
 *
 * Entries hidden by RanobeDB are left out. The dump is small (tens of thousands of books) and is held in memory.
 */
export async function* readRanobedb(dump: DumpReading): AsyncGenerator<SourceRecord> {
  yield* readPublishers(dump)
  yield* readStaff(dump)
  yield* readSeries(dump)
}

async function* readSeries(dump: DumpReading): AsyncGenerator<SourceRecord> {
  const titles = await readTitles(dump, 'series_title', 'series_id')
  const places = await readPlaces(dump, await readBooks(dump))
  const adult = await readAdultSeries(dump)
  const taken = new Set<Book>()

  for await (const row of readShown(dump, 'series', SERIES_COLUMNS)) {
    const id = row.id
    if (id === null) continue
    const all = places.get(id) ?? []
    const own = all.filter(({ book }) => !taken.has(book))
    if (own.length < all.length)
      dump.report.note('a book of two series is a volume of the first', `series ${id}`)
    const seriesTitle = originTitle(titles.get(id) ?? [], row.olang)
    if (seriesTitle === null) {
      dump.report.note('a series without a title is left out', `series ${id}`)
      continue
    }
    for (const place of own) {
      taken.add(place.book)
      yield volumeRecord(place, seriesTitle)
    }
    yield seriesRecord({ ...row, id }, titles.get(id) ?? [], all, own, adult.has(id))
  }
}

/** The books of each series in its order, the main one before a side story of the same place. */
async function readPlaces(dump: DumpReading, books: Map<string, Book>): Promise<Map<string, SeriesPlace[]>> {
  const places = await groupRows(
    readTable(dump, 'series_book', ['series_id', 'book_id', 'sort_order', 'book_type']),
    ({ series_id }) => series_id,
    ({ book_id, book_type, sort_order }): SeriesPlace | null => {
      const book = books.get(book_id ?? '')
      return book ? { book, type: book_type, order: sort_order } : null
    },
  )
  for (const list of places.values()) {
    list.sort(
      (one, other) =>
        (integerOf(one.order) ?? Infinity) - (integerOf(other.order) ?? Infinity) ||
        Number(one.type === 'sub') - Number(other.type === 'sub') ||
        Number(one.book.id) - Number(other.book.id),
    )
  }
  return places
}

const ADULT_TAGS = new Set(['hentai', '18+'])

async function readAdultSeries(dump: DumpReading): Promise<Set<string>> {
  const adult = new Set<string>()
  for await (const { id, name } of readTable(dump, 'tag', ['id', 'name'])) {
    if (id && ADULT_TAGS.has(name ?? '')) adult.add(id)
  }
  const series = new Set<string>()
  for await (const { series_id, tag_id } of readTable(dump, 'series_tag', ['series_id', 'tag_id'])) {
    if (series_id && adult.has(tag_id ?? '')) series.add(series_id)
  }
  return series
}
