import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'

const LIST_KEYS = statement('doctor.list_primary_keys').returning<{
  table: string
  columns: string[]
}>(`
  select
    relname::text as "table",
    array(
      select attname::text from unnest(indkey::smallint[]) with ordinality as key (number, position)
      join pg_attribute on attrelid = indrelid and attnum = key.number
      order by key.position
    ) as columns
  from pg_index
  join pg_class on pg_class.oid = indrelid
  where indisprimary and relnamespace = current_schema()::regnamespace
  order by relname`)

/** Row counts of a table, once from its file and once through its primary key. */
export type RowCounts = { table: string; inFile: number; inIndex: number }

/** Counts the rows of every table twice. A difference means that the files are damaged. */
export async function countRowsTwice(db: Database): Promise<RowCounts[]> {
  const counts: RowCounts[] = []
  for (const { table, columns } of await queryRows(db, LIST_KEYS, []))
    counts.push(
      await db.transaction().execute(async (trx) => {
        await sql`set local enable_indexscan = off`.execute(trx)
        await sql`set local enable_indexonlyscan = off`.execute(trx)
        await sql`set local enable_bitmapscan = off`.execute(trx)
        const inFile = await count(trx, table, columns)
        await sql`set local enable_indexscan = on`.execute(trx)
        await sql`set local enable_indexonlyscan = on`.execute(trx)
        await sql`set local enable_seqscan = off`.execute(trx)
        await sql`set local enable_sort = off`.execute(trx)
        return { table, inFile, inIndex: await count(trx, table, columns) }
      }),
    )
  return counts
}

async function count(trx: Database, table: string, columns: string[]): Promise<number> {
  const key = sql.join(columns.map((column) => sql.ref(column)))
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count
    from (select ${key} from ${sql.table(table)} order by ${key}) ordered`.execute(trx)
  return rows[0]?.count ?? 0
}
