import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { createTemporaryTable } from '../../db/temporary-table.ts'
import { isKnown, isTrue } from '../dump/tables/copy-text.ts'
import { stageTable } from '../dump/tables/stage-table.ts'
import { BOOLEAN, BOOLEAN_OR_NULL, LANGUAGE, wordsOrNull } from '../dump/known-values.ts'
import type { DumpReading } from '../dump/dump-source.ts'
import { BOOK_TYPES, CREDITS, IMPRINTS, RELEASE_FORMATS, RELEASE_TYPES, STATUS } from './codes.ts'

/** Selects the entries that RanobeDB does not hide. */
const visibleEntries = <Column extends string>(columns: readonly Column[]) => ({
  columns,
  older: ['hidden'] as const,
  id: /^[0-9]{1,18}$/,
  keep: ({ hidden }: { hidden?: string | null }) => !isTrue(hidden ?? null),
  known: { hidden: BOOLEAN },
})

/**
 * Stages the tables of a dump, each as `dump_TABLE`, and creates `dump_places`: the books of all series in ascending
 * order of `n`, in the order of each series. At the same position, a main book comes before a side story. A book of
 * two series is a volume (`is_volume`) of the first series that has a title.
 */
export async function stageRanobedb(dump: DumpReading, trx: Database): Promise<void> {
  await stageEntries(dump, trx)
  await stageLists(dump, trx)
  await createPlaces(trx)
}

export const PUBLISHER_COLUMNS = [
  'id',
  'name',
  'romaji',
  'description',
  'aliases',
  'lang',
  'website',
  'bookwalker',
  'twitter_id',
  'wikidata_id',
] as const
export const STAFF_COLUMNS = [
  'id',
  'description',
  'website',
  'bookwalker_id',
  'twitter_id',
  'bsky_id',
  'pixiv_id',
  'syosetu_id',
  'kakuyomu_id',
  'wikidata_id',
] as const
export const SERIES_COLUMNS = [
  'id',
  'aliases',
  'publication_status',
  'olang',
  'start_date',
  'c_start_date',
  'c_num_books',
  'mal_id',
  'anilist_id',
  'website',
  'bookwalker_id',
  'anidb_id',
  'wikidata_id',
] as const

async function stageEntries(dump: DumpReading, trx: Database) {
  await stageTable(dump, trx, 'publisher', visibleEntries(PUBLISHER_COLUMNS))
  await stageTable(dump, trx, 'staff', visibleEntries(STAFF_COLUMNS))
  const series = visibleEntries(SERIES_COLUMNS)
  await stageTable(dump, trx, 'series', {
    ...series,
    known: { ...series.known, publication_status: wordsOrNull(...Object.keys(STATUS)) },
  })
  await stageTable(dump, trx, 'book', {
    ...visibleEntries(['id', 'image_id', 'olang', 'release_date', 'c_release_date']),
    key: 'id',
  })
  await stageTable(dump, trx, 'release', {
    ...visibleEntries(['id', 'lang', 'format', 'pages', 'isbn13']),
    key: 'id',
    known: { hidden: BOOLEAN, format: wordsOrNull(...RELEASE_FORMATS) },
  })
}

async function stageLists(dump: DumpReading, trx: Database) {
  for (const [table, id] of [
    ['series_title', 'series_id'],
    ['book_title', 'book_id'],
  ] as const)
    await stageTable(dump, trx, table, {
      columns: [id, 'lang', 'title', 'romaji'],
      keep: ({ lang, title }) => isKnown(lang) && isKnown(title),
      known: { lang: LANGUAGE },
    })
  await stageTable(dump, trx, 'series_book', {
    columns: ['series_id', 'book_id', 'sort_order', 'book_type'],
    known: { book_type: wordsOrNull(...BOOK_TYPES) },
  })
  await stageTable(dump, trx, 'tag', {
    columns: ['id', 'name'],
    keep: ({ name }) => isKnown(name),
    key: 'id',
  })
  await stageTable(dump, trx, 'series_tag', { columns: ['series_id', 'tag_id'] })
  await stageTable(dump, trx, 'staff_alias', {
    columns: ['id', 'staff_id', 'main_alias', 'name', 'romaji'],
    key: 'id',
    known: { main_alias: BOOLEAN },
  })
  await stageTable(dump, trx, 'book_staff_alias', {
    columns: ['book_id', 'staff_alias_id', 'role_type', 'note'],
    keep: ({ role_type }) => isKnown(role_type),
    known: { role_type: wordsOrNull(...Object.keys(CREDITS)) },
  })
  await stageTable(dump, trx, 'release_book', {
    columns: ['book_id', 'release_id', 'rtype'],
    keep: ({ rtype }) => rtype !== 'trial',
    known: { rtype: new Set(RELEASE_TYPES) },
  })
  await stageTable(dump, trx, 'release_publisher', {
    columns: ['release_id', 'publisher_id', 'publisher_type'],
    keep: ({ publisher_id, publisher_type }) => isKnown(publisher_id) && isKnown(publisher_type),
    known: { publisher_type: wordsOrNull(...Object.keys(IMPRINTS)) },
  })
  await stageTable(dump, trx, 'image', {
    columns: ['id', 'nsfw', 'width', 'height', 'filename'],
    keep: ({ filename }) => isKnown(filename),
    known: { nsfw: BOOLEAN_OR_NULL },
    key: 'id',
  })
}

async function createPlaces(trx: Database) {
  const orderOf = (column: string) =>
    sql`case when ${sql.ref(column)} ~ '^-?[0-9]{1,18}$' then ${sql.ref(column)}::bigint end`
  await createTemporaryTable(trx, 'dump_places')`
    with titled as (
      select distinct series.n
      from dump_series series
      join dump_series_title title on title.series_id = series.id
    )
    select
      (row_number() over (
        order by series.n, ${orderOf('item.sort_order')} nulls last, item.book_type is not distinct from 'sub',
          ${orderOf('book.id')} nulls last, item.n
      ))::integer as n,
      series.n as series,
      coalesce(series.n = min(titled.n) over (partition by book.id), false) as is_volume,
      item.book_type, item.sort_order,
      book.id, book.olang, book.image_id, book.release_date, book.c_release_date
    from dump_series_book item
    join dump_series series on series.id = item.series_id
    join dump_book book on book.id = item.book_id
    left join titled on titled.n = series.n`
}
