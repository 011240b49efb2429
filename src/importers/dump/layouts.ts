import { SOURCES, type SourceName } from '../../sources/registry.ts'
import type { Archive, Dump } from './dump.ts'

/** How a source lays out its tables as files. */
export type Layout = {
  /** What follows the name of a table in the name of its file. */
  suffix: string
  /** Where the column names stand: on the first line, in `TABLE.header` beside it, or nowhere, as JSON lines need none. */
  header: 'first line' | 'own file' | 'none'
}

/** A source whose dumps are read: how they look, and what has to be in them. */
export type DumpFormat = {
  source: SourceName
  /** What is fetched, as an object of a sentence. */
  published: string
  layout: Layout
  tables: TableNeeds
}

/** What people call a source's dump. */
export const titleOf = ({ source }: DumpFormat): string => SOURCES[source].dump.title

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
  { layout, tables }: DumpFormat,
): { folder: string; count: number } {
  const counts = new Map<string, number>()
  for (const name of archive.files.keys()) {
    const [, folder = '', table = ''] = /^(.*\/)?([^/]*)$/.exec(name) ?? []
    if (!table.endsWith(layout.suffix)) continue
    if (!Object.hasOwn(tables.required, table.slice(0, table.length - layout.suffix.length))) continue
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  const [most] = [...counts].toSorted(([, one], [, other]) => other - one)
  return most ? { folder: most[0], count: most[1] } : { folder: '', count: 0 }
}

/** How many of the tables that a format requires a dump has: names such as `staff` are those of several sources. */
export const countTables = (dump: Dump, { tables }: DumpFormat) =>
  Object.keys(tables.required).filter((table) => dump.tables.has(table)).length

/** Whether a file of an archive may be one of the tables that are read. */
export function isTableOf(file: string, { layout, tables }: DumpFormat): boolean {
  const names = Object.keys({ ...tables.required, ...tables.optional, ...tables.formerly })
  return names.some((table) => `/${file}`.endsWith(`/${table}${layout.suffix}`))
}
