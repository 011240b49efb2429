import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { RecordKind } from '../records/record-kinds.ts'
import type { ImportReport, SourceRecord } from '../records/record.ts'
import { streamLists, type ListsOf, type PartsOf } from '../dump/tables/lists.ts'
import { streamRows } from '../dump/tables/row-streams.ts'
import type { ENTRY_TABLES, EntryTable } from './tables.ts'

/** Definition of a table of entries and of the data that is read with each entry. */
export type EntryParts<Table extends EntryTable = EntryTable, Items = Record<string, object>> = {
  kind: RecordKind
  table: Table
  lists: PartsOf<Items>
  /** SQL for columns from other tables. */
  joined?: { columns: RawBuilder<unknown>; joins: RawBuilder<unknown> }
  /** Maps an entry. Reports and omits an entry without a name. */
  toRecord(
    row: EntryRow<Table>,
    lists: ListsOf<Items>,
    report: ImportReport,
  ): SourceRecord | undefined
}

/** Dates on which an entry was created and last changed. The time of day is not known. */
type Times = { is_dated: boolean; created: string | null; lastmod: string | null }

/**
 * Row in a table of entries: its position, its dates, and the hash of all data that is read for the entry
 * (`unchanged-entries.ts`).
 */
export type EntryRow<Table extends EntryTable> = { n: number; hash: string | null } & Times &
  Record<(typeof ENTRY_TABLES)[Table]['columns' | 'older'][number], string | null>

/**
 * Yields the record for each entry in a table, in the order of the dump. A record with remarks has no hash, so that
 * every import maps it and repeats the remarks.
 */
export async function* readEntries(
  trx: Database,
  parts: EntryParts,
  report: ImportReport,
): AsyncGenerator<SourceRecord> {
  const { table, lists, joined } = parts
  const listsOf = streamLists(trx, table, lists)
  const entries = streamRows<EntryRow<EntryTable>>(
    trx,
    `entries_of_${table}`,
    sql`
      select
        entry.*, seen.hash, meta.id is not null as is_dated, meta.created, meta.lastmod
        ${joined ? sql`, ${joined.columns}` : sql``}
      from ${sql.table(`dump_${table}`)} entry
      left join ${sql.table(`dump_hashes_of_${table}`)} seen on seen.n = entry.n
      left join dump_entry_meta meta on meta.id = entry.id
      ${joined?.joins ?? sql``}
      order by entry.n`,
  )
  for await (const row of entries) {
    let hasRemarks = false
    const record = parts.toRecord(row, await listsOf(row.n), {
      note(...remark) {
        hasRemarks = true
        report.note(...remark)
      },
    })
    if (!record) continue
    if (hasRemarks) delete record.hash
    yield record
  }
}

export const hashOf = ({ hash }: { hash: string | null }) => (hash === null ? {} : { hash })

export const timesOf = ({ is_dated, created, lastmod }: Times) =>
  is_dated ? { created_at: created, updated_at: lastmod, revised_at: lastmod } : {}
