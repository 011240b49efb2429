import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { DumpReading } from '../dump/dump-source.ts'
import type { ImportReport, SourceRecord } from '../records/record.ts'
import { streamRows } from '../dump/tables/row-streams.ts'
import { originTitle } from '../records/titles.ts'
import { childRows, itemColumns, streamLists, type PartsOf } from '../dump/tables/lists.ts'
import { PLACE_PARTS, streamBooks, type Place, type PlaceRow, type Title } from './books.ts'
import { readPublishers } from './publishers.ts'
import { seriesRecord, type SeriesRow } from './series.ts'
import { readStaff } from './staff.ts'
import { stageRanobedb } from './tables.ts'
import { volumeRecord } from './volumes.ts'

/**
 * Yields the records of a RanobeDB dump: publishers, people, then each series after its volumes. Entries that RanobeDB
 * hides are skipped.
 *
 * The database sorts and joins the staged tables, so memory use does not depend on the size of the dump.
 */
export async function* readRanobedb(
  dump: DumpReading,
  trx: Database,
): AsyncGenerator<SourceRecord> {
  await sql`set local cursor_tuple_fraction = 1`.execute(trx)
  await stageRanobedb(dump, trx)
  yield* readPublishers(trx)
  yield* readStaff(dump.report, trx)
  yield* readSeries(dump.report, trx)
}

async function* readSeries(report: ImportReport, trx: Database): AsyncGenerator<SourceRecord> {
  const listsOf = streamLists(trx, 'series', SERIES_LISTS)
  const toPlace = streamBooks(trx)
  for await (const row of streamRows<SeriesRow>(
    trx,
    'series',
    sql`select * from dump_series order by n`,
  )) {
    const { id, n, olang } = row
    if (id === null) continue
    const { titles, tags, books } = await listsOf(n)
    const places: Place[] = []
    for (const book of books) places.push(await toPlace(book))
    const title = originTitle(titles, olang)
    if (title === null) {
      report.note({ code: 'series.no_title' }, `series ${id}`)
      continue
    }
    const volumes = places.filter(({ isVolume }) => isVolume)
    if (volumes.length < places.length) report.note({ code: 'book.two_series' }, `series ${id}`)
    for (const volume of volumes) yield volumeRecord(volume, title)
    yield seriesRecord({ ...row, id }, { titles, tags: tags.map(({ name }) => name), places })
  }
}

const SERIES_LISTS: PartsOf<{ titles: Title; tags: { name: string }; books: PlaceRow }> = {
  titles: {
    from: childRows('series_title', 'series', 'series_id'),
    columns: itemColumns('lang', 'title', 'romaji'),
  },
  tags: {
    from: sql`${childRows('series_tag', 'series', 'series_id')} join dump_tag tag on tag.id = item.tag_id`,
    columns: { name: 'tag.name' },
  },
  books: PLACE_PARTS,
}
