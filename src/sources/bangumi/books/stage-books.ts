import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { createTemporaryTable, loadTemporaryTable } from '../../../db/temporary-table.ts'
import type { DumpReading } from '../../dump/dump-source.ts'
import type { ImportReport } from '../../records/record.ts'
import * as codes from '../archive/archive-codes.ts'
import { bookFacts } from './book-facts.ts'
import { InfoboxReader } from '../infobox/infobox-reader.ts'
import { isGalgame } from '../archive/is-galgame.ts'
import { splitNames } from '../infobox/name-list.ts'
import { BOOK_PEOPLE } from '../positions.ts'
import { FILES, readRows } from '../archive/read.ts'
import type { SubjectRow } from '../archive/rows.ts'
import { parseVolumeTitle, plainTitle } from './volume-title.ts'

const BOOK_COLUMNS = {
  n: 'bigint',
  id: 'bigint',
  platform: 'bigint',
  title: 'text collate "C"',
  is_series: 'boolean',
  base: 'text collate "C"',
  authors: 'text[]',
  facts: 'json',
}

/**
 * Stages the data that distinguishes works from volumes in `dump_books`: the plain `title`; `base`, the series title
 * within it; and `facts`, for books that may be volume 1. Ids of galgames are stored in `dump_games (id)`.
 */
export async function stageBooks(dump: DumpReading, trx: Database): Promise<void> {
  const games: number[] = []
  let n = 0
  await loadTemporaryTable(
    trx,
    'dump_books',
    BOOK_COLUMNS,
    readRows(dump, FILES.subjects),
    (row) => {
      if (row.type === codes.SUBJECT_TYPE.book) return [bookCells((n += 1), row)]
      if (isGalgameRow(row, dump.report)) games.push(row.id)
      return []
    },
  )
  await sql`create index on dump_books (id)`.execute(trx)
  // If several rows have the same id, the last one wins.
  await sql`
    delete from dump_books book
    where exists (select from dump_books another where another.id = book.id and another.n > book.n)`.execute(
    trx,
  )
  await sql`create index on dump_books using hash (title)`.execute(trx)
  await createTemporaryTable(trx, 'dump_games')`select unnest(${games}::bigint[]) as id`
}

function bookCells(n: number, row: SubjectRow) {
  const isReadable =
    row.platform === codes.BOOK_PLATFORM.manga || row.platform === codes.BOOK_PLATFORM.novel
  const title = plainTitle(row.name || row.nameCn)
  const volume = row.series || !isReadable ? undefined : parseVolumeTitle(row.name || row.nameCn)
  const infobox = volume || row.series ? new InfoboxReader(row.infobox) : undefined
  const authors = infobox
    ? authorsOf(infobox).map((name) => `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"`)
    : []
  return [
    n,
    row.id,
    row.platform,
    title,
    row.series,
    volume?.base ?? null,
    `{${authors.join(',')}}`,
    infobox && volume?.number === 1 ? JSON.stringify(bookFacts(infobox)) : null,
  ]
}

/** Returns a book's authors. Translators and similar roles do not identify a series. */
function authorsOf(infobox: InfoboxReader): string[] {
  const keys = BOOK_PEOPLE.filter(({ manga }) => manga !== null).flatMap(({ keys }) => keys)
  return infobox.values(...keys).flatMap((value) => splitNames(value).map(({ name }) => name))
}

export async function stageBookRelations(dump: DumpReading, trx: Database) {
  const relations = new Set<number>(Object.values(codes.BOOK_RELATION))
  let n = 0
  await loadTemporaryTable(
    trx,
    'dump_book_relations',
    { n: 'bigint', subject: 'bigint', type: 'bigint', related: 'bigint' },
    readRows(dump, FILES.relations),
    ({ subject, type, related }) =>
      relations.has(type) ? [[(n += 1), subject, type, related]] : [],
  )
}

function isGalgameRow(row: SubjectRow, report: ImportReport): boolean {
  if (row.type !== codes.SUBJECT_TYPE.game) {
    const kind = codes.OTHER_SUBJECTS.get(row.type) ?? 'other'
    report.note(codes.skippedRemark(kind, row.type), exampleOf(row))
    return false
  }
  const other = codes.OTHER_GAME_PLATFORMS.get(row.platform)
  const genres = new InfoboxReader(row.infobox).values('游戏类型')
  const isWanted =
    !other && isGalgame([...row.metaTags, ...row.tags.map(({ name }) => name)], genres)
  if (!isWanted) report.note(codes.skippedRemark(other ?? 'other_game'), exampleOf(row))
  return isWanted
}

function exampleOf({ id, name }: SubjectRow): string {
  return `${id} ${name}`
}
