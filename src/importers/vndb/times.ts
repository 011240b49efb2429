import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../../db/database.ts'
import { streamRows } from '../row-streams.ts'

/** When an entry was made and last changed, as VNDB publishes it: days without a time. */
type Times = { is_dated: boolean; created: string | null; lastmod: string | null }

/** A row of a table of entries, with its place among them and its times. */
export type EntryRow<Column extends string> = { n: number } & Times & Record<Column, string | null>

/** All entries of a table in the order of the dump, some at once. */
export const streamEntries = <Column extends string>(
  trx: Database,
  table: string,
  { columns = sql``, joins = sql`` }: { columns?: RawBuilder<unknown>; joins?: RawBuilder<unknown> } = {},
): AsyncGenerator<EntryRow<Column>[]> =>
  streamRows<EntryRow<Column>>(
    trx,
    `entries_of_${table}`,
    sql`
      select entry.*, meta.id is not null as is_dated, meta.created, meta.lastmod ${columns}
      from ${sql.table(`dump_${table}`)} entry
      left join dump_entry_meta meta on meta.id = entry.id
      ${joins}
      order by entry.n`,
  )

export const timesOf = ({ is_dated, created, lastmod }: Times) =>
  is_dated ? { created_at: created, updated_at: lastmod, revised_at: lastmod } : {}
