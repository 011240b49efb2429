import type { ImportReport } from '../record.ts'
import { requireDistinctColumns } from './distinct-columns.ts'
import type { Dump } from './dump.ts'
import { DumpError } from './dump-error.ts'
import type { DumpFormat, TableNeeds } from './layouts.ts'

/**
 * Checks that a dump has every required table and column. A missing table would look like an empty one, and a missing column
 * like one without values: both would remove data that an earlier dump provided.
 *
 * @param allowed required tables that may be missing or empty, or lack columns
 * @returns whether the dump has them all
 * @throws {DumpError} naming all that are, and what would be lost
 */
export async function requireTables(
  dump: Dump,
  { tables, title }: DumpFormat,
  allowed: readonly string[] | 'any',
): Promise<boolean> {
  if (allowed === 'any') return false
  const required = { ...tables.required, ...(await requiredToday(dump, tables)) }
  const unknown = allowed.find((table) => !(table in required) && !(table in tables.optional))
  if (unknown !== undefined)
    throw new DumpError(`${unknown} is no table of ${title}: they are ${Object.keys(required).join(', ')}.`)
  const lost: string[] = []
  const without: string[] = []
  let isWhole = true
  for (const [table, losing] of Object.entries(required)) {
    const state = await stateOf(dump, table, tables)
    if (state === undefined) continue
    isWhole = false
    if (allowed.includes(table)) continue
    lost.push(`${dump.tables.get(table) ?? table} ${state}, and would lose ${losing}`)
    without.push(table)
  }
  if (lost.length === 0) return isWhole
  throw new DumpError(
    `${dump.path}: ${lost.join('; ')}. Nothing was imported. Fetch the dump anew; if it is meant to be so, ` +
      `add --allow-missing ${without.join(',')}`,
  )
}

/** The tables that have taken the place of a column, where the dump does not have the column either. */
async function requiredToday(dump: Dump, { formerly = {} }: TableNeeds): Promise<Record<string, string>> {
  const required: Record<string, string> = {}
  for (const [table, { table: before, column, losing }] of Object.entries(formerly)) {
    const former = await dump.open(before)
    if (former && !former.columns.includes(column)) required[table] = losing
  }
  return required
}

/** What keeps a table from being read; undefined when nothing does. */
async function stateOf(dump: Dump, table: string, { columns }: TableNeeds): Promise<string | undefined> {
  // Also reads the column names, whose absence is an error of its own.
  const opened = await dump.open(table)
  if (!opened) return 'is missing'
  requireDistinctColumns(opened)
  if (!(await dump.hasRows(table))) return 'is empty'
  const missing = (columns[table] ?? []).filter((column) => !opened.columns.includes(column))
  if (missing.length === 0) return undefined
  return `lacks ${missing.length === 1 ? 'the column' : 'the columns'} ${missing.join(' and ')}`
}

/** Tells of every table that is missing or empty what is not said for it. */
export async function noteMissing(dump: Dump, { tables }: DumpFormat, report: ImportReport): Promise<void> {
  const all = { ...tables.required, ...(await requiredToday(dump, tables)), ...tables.optional }
  for (const [table, losing] of Object.entries(all)) {
    const state = await stateOf(dump, table, tables)
    if (state) report.note(`the table ${table} ${state}: no data for ${losing}`)
  }
}
