import { sql } from 'kysely'
import type { Database } from './database.ts'
import { escapeCell, RowCopier } from './row-copier.ts'

/**
 * Creates a temporary table from a query, or replaces an earlier one. The table is dropped when the transaction ends.
 * It is analyzed, because joins planned without statistics take hours on large tables.
 */
export const createTemporaryTable =
  (trx: Database, name: string) =>
  async (...query: Parameters<typeof sql>): Promise<void> => {
    const table = sql.table(name)
    await sql`drop table if exists ${table}`.execute(trx)
    await sql`create temporary table ${table} on commit drop as ${sql(...query)}`.execute(trx)
    await sql`analyze ${table}`.execute(trx)
  }

type Cell = string | number | boolean | null

/**
 * Creates a temporary table and fills it from a stream.
 *
 * @param columns type of each column
 * @param toRows returns the table rows for one item of the stream
 */
export async function loadTemporaryTable<Item>(
  trx: Database,
  name: string,
  columns: Readonly<Record<string, string>>,
  items: AsyncIterable<Item>,
  toRows: (item: Item) => readonly (readonly Cell[])[],
): Promise<void> {
  await defineTemporaryTable(trx, name, columns)
  const copier = new RowCopier(trx, name, Object.keys(columns))
  for await (const item of items) {
    for (const row of toRows(item)) copier.add(row.map(toText).join('\t'))
    await copier.settle()
  }
  await copier.end()
  await sql`analyze ${sql.table(name)}`.execute(trx)
}

/** Creates an empty temporary table. */
export async function defineTemporaryTable(
  trx: Database,
  name: string,
  columns: Readonly<Record<string, string>>,
): Promise<void> {
  const definitions = Object.entries(columns).map(
    ([column, type]) => sql`${sql.ref(column)} ${sql.raw(type)}`,
  )
  await sql`create temporary table ${sql.table(name)} (${sql.join(definitions)}) on commit drop`.execute(
    trx,
  )
}

const toText = (cell: Cell) => (cell === null ? '\\N' : escapeCell(String(cell)))
