import type { Database } from '../../db/database.ts'
import { SOURCES, type SourceName } from '../registry.ts'
import type { ImportReport, SourceRecord } from '../records/record.ts'
import type { BadRows } from './bad-rows.ts'
import type { Dependencies } from './dependencies.ts'
import type { Archive, Dump } from './dump.ts'

export type Layout = {
  /** Suffix of the file name after the name of the table. */
  suffix: string
  /** Location of the column names: the first line, a separate file `TABLE.header`, or none for JSON lines. */
  header: 'first line' | 'own file' | 'none'
}

/** A source of dumps: their layout, the tables they need, and their reader. */
export type DumpSource = {
  source: SourceName
  /** Description of the published archive for error messages. */
  publishedAs: string
  /** Accepted dump formats for the help text, in lines of at most 70 characters. */
  forms: readonly string[]
  layout: Layout
  tables: TableNeeds
  /**
   * Tables that records are read from, keyed by kind (`galgame`) or by a list that has its own tables
   * (`galgame.staff`).
   */
  tablesOf: Readonly<Record<string, readonly string[]>>
  /** Folders in `sample/`. The first folder contains a whole dump, the others contain a few rows. */
  samples: readonly [string, ...string[]]
  /**
   * Version of the mapping from dumps to records. Increment it when the reader produces different records: `update`
   * then imports the same dump again.
   */
  mappingVersion: number
  /** Yields the records of a dump. May stage tables in the import's transaction. */
  read(dump: DumpReading, trx: Database): AsyncIterable<SourceRecord>
}

export type DumpReading = {
  dump: Dump
  report: ImportReport
  badRows: BadRows
  /** Collects the inputs, other than the dump, that the records depend on. */
  dependencies: Dependencies
}

export const titleOf = ({ source }: DumpSource): string => SOURCES[source].dump.title

/**
 * Tables that are read, each with the data that would be lost without it.
 *
 * The lists of a work are derived from all records of its source, so a missing table would remove data. Every dump has
 * the required tables. The optional tables are newer or are published elsewhere.
 */
export type TableNeeds = {
  required: Readonly<Record<string, string>>
  optional: Readonly<Record<string, string>>
  /**
   * Required columns, keyed by table. Every dump has them, and a missing column loses as much data as a missing table.
   */
  columns: Readonly<Record<string, readonly string[]>>
  /** Tables that replaced a column of another table. They are required unless the dump still has that column. */
  replacements?: Readonly<Record<string, { table: string; column: string; lost: string }>>
}

/** Finds the folder that contains most of the required tables of an archive. */
export function findTables(
  archive: Archive,
  { layout, tables }: DumpSource,
): { folder: string; count: number } {
  const counts = new Map<string, number>()
  for (const name of archive.files.keys()) {
    const [, folder = '', table = ''] = /^(.*\/)?([^/]*)$/.exec(name) ?? []
    if (!table.endsWith(layout.suffix)) continue
    if (!Object.hasOwn(tables.required, table.slice(0, table.length - layout.suffix.length)))
      continue
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  const [max] = [...counts].toSorted(([, one], [, other]) => other - one)
  return max ? { folder: max[0], count: max[1] } : { folder: '', count: 0 }
}

/** Counts the required tables that a dump contains. Some names, such as `staff`, occur in several sources. */
export const countTables = (dump: Dump, { tables }: DumpSource) =>
  Object.keys(tables.required).filter((table) => dump.tables.has(table)).length

/** Returns true if a file in an archive may be a table that is read. */
export function isTableOf(file: string, { layout, tables }: DumpSource): boolean {
  const names = Object.keys({ ...tables.required, ...tables.optional, ...tables.replacements })
  return names.some((table) => `/${file}`.endsWith(`/${table}${layout.suffix}`))
}
