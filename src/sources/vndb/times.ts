import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../../db/database.ts'
import { streamRows } from '../dump/tables/row-streams.ts'
import type { EntryTable } from './tables.ts'

/** When an entry was made and last changed, as VNDB publishes it: days without a time. */
type Times = { is_dated: boolean; created: string | null; lastmod: string | null }

/** A row of a table of entries, with its place among them, its times, and the hash of all that is read of it (`known-entries.ts`). */
export type EntryRow<Column extends string> = { n: number; hash: string | null } & Times &
  Record<Column, string | null>

/** What stands beside the columns of an entry. */
export type Joined = { columns: RawBuilder<unknown>; joins: RawBuilder<unknown> }

/** All entries of a table in the order of the dump, some at once. */
export const streamEntries = <Column extends string>(
  trx: Database,
  table: EntryTable,
  joined?: Joined,
): AsyncGenerator<EntryRow<Column>[]> =>
  streamRows<EntryRow<Column>>(
    trx,
    `entries_of_${table}`,
    sql`
      select
        entry.*, said.hash, meta.id is not null as is_dated, meta.created, meta.lastmod
        ${joined ? sql`, ${joined.columns}` : sql``}
      from ${sql.table(`dump_${table}`)} entry
      left join ${sql.table(`dump_said_of_${table}`)} said on said.n = entry.n
      left join dump_entry_meta meta on meta.id = entry.id
      ${joined?.joins ?? sql``}
      order by entry.n`,
  )

/** What of a row goes into the record beside what the mapping makes of it. */
export const hashOf = ({ hash }: { hash: string | null }) => (hash === null ? {} : { hash })

export const timesOf = ({ is_dated, created, lastmod }: Times) =>
  is_dated ? { created_at: created, updated_at: lastmod, revised_at: lastmod } : {}
