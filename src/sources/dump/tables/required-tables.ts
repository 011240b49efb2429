import type { ImportReport } from '../../records/record.ts'
import { requireDistinctColumns } from './copy-text.ts'
import type { Dump } from '../dump.ts'
import { DumpError } from '../dump-error.ts'
import { titleOf, type DumpSource, type TableNeeds } from '../dump-source.ts'

/**
 * Checks that a dump has every required table and column. A missing table would look like an empty table, and a
 * missing column like one without values, and both would remove data that an earlier dump provided.
 *
 * @param allowed required tables that may be missing or empty, or lack columns
 * @returns true if nothing is missing
 * @throws {DumpError} naming everything that is missing, and the data that would be lost
 */
export async function requireTables(
  dump: Dump,
  format: DumpSource,
  allowed: readonly string[] | 'any',
): Promise<boolean> {
  if (allowed === 'any') return false
  const { tables } = format
  const required = { ...tables.required, ...(await requiredSuccessors(dump, tables)) }
  const unknown = allowed.find((table) => !(table in required) && !(table in tables.optional))
  if (unknown !== undefined)
    throw new DumpError(
      `${unknown} is not a table of ${titleOf(format)}. Its tables are ${Object.keys(required).join(', ')}.`,
    )
  const incomplete = await findIncomplete(dump, required, tables)
  const refused = incomplete.filter(({ table }) => !allowed.includes(table))
  if (refused.length === 0) return incomplete.length === 0
  const lost = refused.map(
    ({ table, state, loss }) =>
      `${dump.tables.get(table) ?? table} ${stateText(state)}, which would lose ${loss}`,
  )
  throw new DumpError(
    `${dump.path}: ${lost.join('; ')}. Nothing was imported. Download the dump again; if this is intended, ` +
      `add --allow-missing ${refused.map(({ table }) => table).join(',')}`,
  )
}

/** Returns the tables that are missing or incomplete, each with its problem and the data that is lost with it. */
async function findIncomplete(dump: Dump, needed: Record<string, string>, needs: TableNeeds) {
  const incomplete: { table: string; state: TableState; loss: string }[] = []
  for (const [table, loss] of Object.entries(needed)) {
    const state = await tableState(dump, table, needs)
    if (state !== undefined) incomplete.push({ table, state, loss })
  }
  return incomplete
}

/** Returns the tables that replaced a column and are required because the dump does not have that column. */
async function requiredSuccessors(
  dump: Dump,
  { replacements = {} }: TableNeeds,
): Promise<Record<string, string>> {
  const required: Record<string, string> = {}
  for (const [table, { table: before, column, lost }] of Object.entries(replacements)) {
    const former = await dump.open(before)
    if (former && !former.columns.includes(column)) required[table] = lost
  }
  return required
}

type TableState = 'missing' | 'empty' | { missingColumns: string[] }

const stateText = (state: TableState) =>
  typeof state === 'string'
    ? `is ${state}`
    : `lacks ${state.missingColumns.length === 1 ? 'the column' : 'the columns'} ${state.missingColumns.join(' and ')}`

/** Returns the problem that prevents a table from being read, if any. */
async function tableState(
  dump: Dump,
  table: string,
  { columns }: TableNeeds,
): Promise<TableState | undefined> {
  // Opening also reads the column names. Missing ones are a separate error.
  const opened = await dump.open(table)
  if (!opened) return 'missing'
  requireDistinctColumns(opened)
  if (!(await dump.hasRows(table))) return 'empty'
  const missing = (columns[table] ?? []).filter((column) => !opened.columns.includes(column))
  return missing.length === 0 ? undefined : { missingColumns: missing }
}

/** Reports every missing or empty table, and the data that is lost with it. */
export async function reportMissing(
  dump: Dump,
  { tables }: DumpSource,
  report: ImportReport,
): Promise<void> {
  const all = {
    ...tables.required,
    ...(await requiredSuccessors(dump, tables)),
    ...tables.optional,
  }
  for (const { table, state, loss } of await findIncomplete(dump, all, tables)) {
    const params = { table, losing: loss }
    if (typeof state === 'string') report.note({ code: `table.${state}`, params })
    else
      report.note({
        code: 'table.lacks',
        params: {
          ...params,
          count: state.missingColumns.length,
          columns: state.missingColumns.join(' and '),
        },
      })
  }
}
