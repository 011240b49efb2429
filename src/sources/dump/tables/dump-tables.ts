import { sql } from 'kysely'
import { escapeCell, RowCopier } from '../../../db/row-copier.ts'
import type { Database } from '../../../db/database.ts'
import {
  type CopyRow,
  decodeCell,
  decodeCells,
  type Places,
  readBlocks,
  UnusableRow,
} from './copy-text.ts'
import type { DumpReading } from '../dump-source.ts'
import type { KnownValues } from '../known-values.ts'

/** What is staged of a table of a dump. */
export type TableToStage<Column extends string, Older extends string = never> = {
  columns: readonly Column[]
  /** Columns of earlier dumps, whose absence is no news. */
  older?: readonly Older[]
  /** Leaves out rows that say nothing. */
  keep?: (row: CopyRow<Column, Older>) => boolean
  /** Of rows with the same value here only the last is kept. */
  key?: Column
  /** What the first column looks like; a row with another is one that cannot be read. */
  id?: RegExp
  /** Known values of a column, as written in the dump. */
  known?: Partial<Record<Column | Older, KnownValues>>
}

/**
 * Loads a table of a dump into `dump_TABLE`, a table of the transaction: its columns as text, null where the dump does not
 * have one, and `n`, the place of the row. So it is joined and grouped without ever being in this process as a whole.
 */
export async function stageTable<Column extends string, Older extends string = never>(
  reading: DumpReading,
  trx: Database,
  table: string,
  { columns, older = [], keep, key, id, known = {} }: TableToStage<Column, Older>,
): Promise<void> {
  const name = `dump_${table}`
  const definitions = [...columns, ...older].map(
    (column) => sql`${sql.ref(column)} text collate "C"`,
  )
  await sql`
    create temporary table ${sql.table(name)} (n integer not null, ${sql.join(definitions)}) on commit drop`.execute(
    trx,
  )
  let copier: RowCopier | undefined
  const toLine = (cells: string[], places: Places) => {
    copier ??= new RowCopier(trx, name, ['n', ...places.map(([column]) => column)])
    if (id && !id.test(cells[places[0]?.[1] ?? 0] ?? '')) return NO_ID
    if (keep) {
      const row = decodeCells(cells, places)
      if (!row) return undefined
      // as: `places` has every column
      if (!keep(row as CopyRow<Column, Older>)) return LEFT_OUT
    }
    return copyLine(cells, places)
  }
  let n = 0
  for await (const lines of readBlocks(reading, table, columns, older, toLine, known)) {
    for (const line of lines) {
      n += 1
      if (line !== LEFT_OUT) copier?.add(`${n}${line}`)
    }
    await copier?.settle()
  }
  await copier?.end()
  if (key !== undefined) await keepLast(trx, name, key)
  await sql`analyze ${sql.table(name)}`.execute(trx)
}

const NO_ID = new UnusableRow({ code: 'no_id' })

/** No line of a row is empty. */
const LEFT_OUT = ''

/** A row in COPY's text format again, each cell behind a tab; undefined when it is not UTF-8. */
function copyLine(cells: string[], places: Places): string | undefined {
  let line = ''
  for (const [, place] of places) {
    const cell = cells[place] ?? '\\N'
    const copied = NEEDS_CARE.test(cell) ? recodeCell(cell) : cell
    if (copied === undefined) return undefined
    line += `\t${copied}`
  }
  return line
}

/** What PostgreSQL would read differently: bytes written as numbers, a backslash at the end, bare control characters. */
// oxlint-disable-next-line no-control-regex -- NUL is what is looked for
const NEEDS_CARE = /\\(?:[0-7x]|$)|[\r\0]/

function recodeCell(cell: string): string | undefined {
  const text = decodeCell(cell)
  return text === null ? '\\N' : text === undefined ? undefined : escapeCell(text)
}

async function keepLast(trx: Database, name: string, key: string) {
  const [table, column] = [sql.table(name), sql.ref(key)]
  const { rows } = await sql`
    select from ${table} where ${column} is not null group by ${column} having count(*) > 1 limit 1`.execute(
    trx,
  )
  if (rows.length === 0) return
  await sql`
    delete from ${table} earlier using ${table} later
    where earlier.${column} = later.${column} and earlier.n < later.n`.execute(trx)
}
