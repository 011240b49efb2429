import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { escapeCell, RowCopier } from '../../../db/row-copier.ts'
import type { DumpReading } from '../../dump/reading.ts'
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
import { passedOver } from '../passed-over.ts'

const BOOK_COLUMNS = ['n', 'id', 'platform', 'title', 'is_series', 'base', 'authors', 'facts']

/**
 * Stages in `dump_books` the facts about every book that are needed to tell works from volumes: the plain `title`; `base`, the
 * series title within it; and `facts`, for books that may be volume 1. Ids of galgames go into
 * `dump_games (id)`.
 */
export async function stageBooks(dump: DumpReading, trx: Database): Promise<void> {
  await sql`
    create temporary table dump_books (
      n          bigint not null,
      id         bigint not null,
      platform   bigint not null,
      title      text collate "C" not null,
      is_series  boolean not null,
      base       text collate "C",
      authors    text[] not null,
      facts      json
    ) on commit drop`.execute(trx)
  await sql`create temporary table dump_games (id bigint not null) on commit drop`.execute(trx)
  const games = new RowCopier(trx, 'dump_games', ['id'])
  const copier = new RowCopier(trx, 'dump_books', BOOK_COLUMNS)
  let n = 0
  for await (const row of readRows(dump, FILES.subjects)) {
    if (row.type === codes.SUBJECT_TYPE.book) copier.add(bookLine((n += 1), row))
    else if (isGalgameRow(row, dump.report)) games.add(String(row.id))
    await copier.settle()
    await games.settle()
  }
  await copier.end()
  await games.end()
  // Of rows with one id the last counts here.
  await sql`create index on dump_books (id)`.execute(trx)
  await sql`
    delete from dump_books book
    where exists (select from dump_books another where another.id = book.id and another.n > book.n)`.execute(
    trx,
  )
  await sql`create index on dump_books using hash (title)`.execute(trx)
  await sql`analyze dump_books, dump_games`.execute(trx)
}

function bookLine(n: number, row: SubjectRow): string {
  const isReadable =
    row.platform === codes.BOOK_PLATFORM.manga || row.platform === codes.BOOK_PLATFORM.novel
  const title = plainTitle(row.name || row.nameCn)
  const volume = row.series || !isReadable ? undefined : parseVolumeTitle(row.name || row.nameCn)
  const infobox = volume || row.series ? new InfoboxReader(row.infobox) : undefined
  const authors = infobox
    ? authorsOf(infobox).map((name) => `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"`)
    : []
  const cells = [
    String(n),
    String(row.id),
    String(row.platform),
    title,
    row.series ? 't' : 'f',
    volume?.base,
    `{${authors.join(',')}}`,
    infobox && volume?.number === 1 ? JSON.stringify(bookFacts(infobox)) : undefined,
  ]
  return cells.map((cell) => (cell === undefined ? '\\N' : escapeCell(cell))).join('\t')
}

/** Everyone who made the book; translators and such are the last of the table and no mark of a series. */
function authorsOf(infobox: InfoboxReader): string[] {
  const keys = BOOK_PEOPLE.filter(({ manga }) => manga !== null).flatMap(({ keys }) => keys)
  return infobox.values(...keys).flatMap((value) => splitNames(value).map(({ name }) => name))
}

/** Stages the relations between books, which tell volumes, as `dump_book_relations`. */
export async function stageBookRelations(dump: DumpReading, trx: Database) {
  await sql`
    create temporary table dump_book_relations (
      n bigint not null, subject bigint not null, type bigint not null, related bigint not null
    ) on commit drop`.execute(trx)
  const wanted = new Set<number>(Object.values(codes.BOOK_RELATION))
  const copier = new RowCopier(trx, 'dump_book_relations', ['n', 'subject', 'type', 'related'])
  let n = 0
  for await (const { subject, type, related } of readRows(dump, FILES.relations)) {
    if (wanted.has(type)) copier.add(`${(n += 1)}\t${subject}\t${type}\t${related}`)
    await copier.settle()
  }
  await copier.end()
  await sql`analyze dump_book_relations`.execute(trx)
}

function isGalgameRow(row: SubjectRow, report: ImportReport): boolean {
  if (row.type !== codes.SUBJECT_TYPE.game) {
    const what = codes.OTHER_SUBJECTS.get(row.type) ?? 'other'
    report.note({ code: 'passed_over', params: { what, type: row.type } }, exampleOf(row))
    return false
  }
  const other = codes.OTHER_GAME_PLATFORMS.get(row.platform)
  const genres = new InfoboxReader(row.infobox).values('游戏类型')
  const isWanted =
    !other && isGalgame([...row.metaTags, ...row.tags.map(({ name }) => name)], genres)
  if (!isWanted) report.note(passedOver(other ?? 'other_game'), exampleOf(row))
  return isWanted
}

function exampleOf({ id, name }: SubjectRow): string {
  return `${id} ${name}`
}
