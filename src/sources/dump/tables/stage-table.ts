import { sql } from 'kysely'
import { escapeCell, RowCopier } from '../../../db/row-copier.ts'
import type { Database } from '../../../db/database.ts'
import {
  type CopyRow,
  decodeCell,
  decodeCells,
  type ColumnIndexes,
  readBlocks,
  UnusableRow,
} from './copy-text.ts'
import type { DumpReading } from '../dump-source.ts'
import type { KnownValues } from '../known-values.ts'

/** Columns and filters for staging a table. */
export type TableToStage<Column extends string, Older extends string = never> = {
  columns: readonly Column[]
  /** Columns that only earlier dumps have, which may be missing without a remark. */
  older?: readonly Older[]
  /** Returns false for a row to skip. */
  keep?: (row: CopyRow<Column, Older>) => boolean
  /** Column with unique values. If several rows have the same value, the last one wins. */
  key?: Column
  /** Format of the first column. Rows that do not match are counted as bad. */
  id?: RegExp
  known?: Partial<Record<Column | Older, KnownValues>>
}

/**
 * Loads a table of a dump into the temporary table `dump_TABLE`: its columns as text, null for missing columns, and
 * the position `n` of each row. The database can then join and group the table, and this process need not load it into
 * memory.
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
  const toLine = (cells: string[], places: ColumnIndexes) => {
    copier ??= new RowCopier(trx, name, ['n', ...places.map(([column]) => column)])
    if (id && !id.test(cells[places[0]?.[1] ?? 0] ?? '')) return INVALID_ID
    if (keep) {
      const row = decodeCells(cells, places)
      if (!row) return undefined
      // as: every column has an index
      if (!keep(row as CopyRow<Column, Older>)) return SKIPPED
    }
    return copyLine(cells, places)
  }
  let n = 0
  for await (const lines of readBlocks(reading, table, columns, older, toLine, known)) {
    for (const line of lines) {
      n += 1
      if (line !== SKIPPED) copier?.add(`${n}${line}`)
    }
    await copier?.settle()
  }
  await copier?.end()
  if (key !== undefined) await deleteEarlierDuplicates(trx, name, key)
  await sql`analyze ${sql.table(name)}`.execute(trx)
}

const INVALID_ID = new UnusableRow({ code: 'no_id' })

/** Stands for a skipped row. A written row is never empty. */
const SKIPPED = ''

/** Writes a row in COPY's text format, each cell after a tab. Returns `undefined` if it is not UTF-8. */
function copyLine(cells: string[], places: ColumnIndexes): string | undefined {
  let line = ''
  for (const [, index] of places) {
    const cell = cells[index] ?? '\\N'
    const copied = NEEDS_RECODING.test(cell) ? recodeCell(cell) : cell
    if (copied === undefined) return undefined
    line += `\t${copied}`
  }
  return line
}

/** Matches cells that PostgreSQL reads differently: numeric escapes, a trailing backslash, bare control characters. */
// oxlint-disable-next-line no-control-regex -- matches NUL on purpose
const NEEDS_RECODING = /\\(?:[0-7x]|$)|[\r\0]/

function recodeCell(cell: string): string | undefined {
  const text = decodeCell(cell)
  return text === null ? '\\N' : text === undefined ? undefined : escapeCell(text)
}

async function deleteEarlierDuplicates(trx: Database, name: string, key: string) {
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
