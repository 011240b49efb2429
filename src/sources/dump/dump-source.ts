import type { Database } from '../../db/database.ts'
import { SOURCES, type SourceName } from '../registry.ts'
import type { ImportReport, SourceRecord } from '../records/record.ts'
import type { BadRows } from './bad-rows.ts'
import type { Dependence } from './dependence.ts'
import type { Archive, Dump } from './dump.ts'

/** How a source lays out its tables as files. */
export type Layout = {
  /** What follows the name of a table in the name of its file. */
  suffix: string
  /** Where the column names stand: on the first line, in `TABLE.header` beside it, or nowhere, as JSON lines need none. */
  header: 'first line' | 'own file' | 'none'
}

/** Everything that imports know of a source: the layout of its dumps, the tables they need, and their reader. */
export type DumpSource = {
  source: SourceName
  /** What is fetched, as an object of a sentence. */
  published: string
  /** Forms of dump that the path of an import may lead to, in lines of at most 70 characters. */
  forms: readonly string[]
  layout: Layout
  tables: TableNeeds
  /**
   * Tables from which records are read, by kind (`galgame`), or by list if a list has its own tables (`galgame.staff`).
   */
  tablesBehind: Readonly<Record<string, readonly string[]>>
  /** Folders in `sample/`: the first holds a whole dump, the others only a few rows. */
  samples: readonly [string, ...string[]]
  /**
   * Version of the mapping from dumps to records. Increment it when the reader produces different records: `update`
   * then imports the same dump again.
   */
  mappingVersion: number
  /** Yields the records of a dump. May stage tables in the import's transaction. */
  read(dump: DumpReading, trx: Database): AsyncIterable<SourceRecord>
}

/** Dump that is being read. */
export type DumpReading = {
  dump: Dump
  report: ImportReport
  badRows: BadRows
  /** Collects what the records depend on besides the dump. */
  dependence: Dependence
}

/** Display name of a source's dump. */
export const titleOf = ({ source }: DumpSource): string => SOURCES[source].dump.title

/**
 * The tables that are read, each with what the catalog has from it.
 *
 * Lists of a work are derived from all that its source says, so a table that is not there would take them away: the
 * required ones are those that every dump has. The optional ones came later, or are published elsewhere.
 */
export type TableNeeds = {
  required: Readonly<Record<string, string>>
  optional: Readonly<Record<string, string>>
  /** Required columns by table. Every dump has them; without them, as much data is lost as without the table. */
  columns: Readonly<Record<string, readonly string[]>>
  /** Tables that are required unless what they tell is a column of another, as it was in earlier dumps. */
  formerly?: Readonly<Record<string, { table: string; column: string; losing: string }>>
}

/** The folder inside an archive that holds most of a format's required tables, and how many. */
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
  const [most] = [...counts].toSorted(([, one], [, other]) => other - one)
  return most ? { folder: most[0], count: most[1] } : { folder: '', count: 0 }
}

/** How many of the tables that a format requires a dump has: names such as `staff` are those of several sources. */
export const countTables = (dump: Dump, { tables }: DumpSource) =>
  Object.keys(tables.required).filter((table) => dump.tables.has(table)).length

/** Whether a file of an archive may be one of the tables that are read. */
export function isTableOf(file: string, { layout, tables }: DumpSource): boolean {
  const names = Object.keys({ ...tables.required, ...tables.optional, ...tables.formerly })
  return names.some((table) => `/${file}`.endsWith(`/${table}${layout.suffix}`))
}
