import type { DumpTable } from '../dump.ts'
import { DumpError } from '../dump-error.ts'
import type { DumpReading } from '../dump-source.ts'
import { decodeText } from './lines.ts'
import type { KnownColumns } from '../known-values.ts'
import type { BadRowReason } from '../bad-rows.ts'

/**
 * Cells, keyed by column. Null means `\N` or a missing column. Columns that only earlier dumps have are undefined if
 * missing.
 */
export type CopyRow<Column extends string, Older extends string = never> = Record<
  Column,
  string | null
> &
  Partial<Record<Older, string | null>>

/** Requested columns with their index in a row, or -1 if the file lacks the column. */
export type ColumnIndexes = readonly (readonly [column: string, place: number])[]

/** A row that is readable but has no usable content. */
export class UnusableRow {
  readonly reason: BadRowReason

  constructor(reason: BadRowReason) {
    this.reason = reason
  }
}

/**
 * Yields the rows of a table in PostgreSQL's COPY text format in blocks of a few hundred, with the requested columns.
 * Columns are found by name, because their order differs between dumps.
 *
 * A missing table has no rows. A missing column is null and reported. Rows that are not UTF-8 or have a wrong number
 * of columns are counted and skipped.
 *
 * @param olderColumns columns of earlier dumps, which may be missing without a remark
 * @param toRow converts a row; returns undefined for a row that is not UTF-8
 * @param known known values by column, as written in the dump, with `\N` for null; rows with other values are counted
 * @throws {DumpError} if the first column is missing or too many rows are skipped
 */
export async function* readBlocks<Row>(
  { dump, report, badRows }: DumpReading,
  table: string,
  columns: readonly string[],
  olderColumns: readonly string[],
  toRow: (cells: string[], places: ColumnIndexes) => Row | UnusableRow | undefined,
  known: KnownColumns,
): AsyncGenerator<Row[]> {
  const opened = await dump.open(table)
  if (!opened) return
  const { location, columns: header, lines: blocks } = opened
  requireDistinctColumns(opened)
  const missing = columns.filter((column) => !header.includes(column))
  const [key] = columns
  if (key !== undefined && missing.includes(key))
    throw new DumpError(
      `${location} has no column ${key}, only ${header.slice(0, 5).join(', ') || 'none'}`,
    )
  for (const column of missing) report.note({ code: 'column.missing' }, `${table}.${column}`)
  const requested = [...columns, ...olderColumns.filter((column) => header.includes(column))]
  const places = requested.map((column) => [column, header.indexOf(column)] as const)
  const checked = places.flatMap(([column, at]) => {
    const values = at === -1 ? undefined : known[column]
    return values ? [{ column, at, values }] : []
  })
  const counter = badRows.counterFor(table, location)

  for await (const { lines, number } of blocks) {
    const rows: Row[] = []
    for (const [index, line] of lines.entries()) {
      if (line === '\\.') {
        yield rows
        counter.end()
        return
      }
      const cells = line?.split('\t')
      if (!cells || cells.length !== header.length) {
        counter.bad(number + index, cells && { code: 'columns' })
        continue
      }
      const row = toRow(cells, places)
      if (row === undefined || row instanceof UnusableRow) {
        counter.bad(number + index, row instanceof UnusableRow ? row.reason : undefined)
        continue
      }
      counter.good()
      for (const { column, at, values } of checked) {
        const value = cells[at] ?? ''
        if (!values.has(value)) counter.unknown(column, value, cells[places[0]?.[1] ?? 0] ?? '')
      }
      rows.push(row)
    }
    yield rows
  }
  counter.end()
}

/**
 * Rejects a header that names a column twice. Call this before looking for missing columns, because the repeated name
 * usually replaces a missing one.
 *
 * @throws {DumpError}
 */
export function requireDistinctColumns({ location, columns }: DumpTable): void {
  const repeated = columns.find((column, at) => columns.indexOf(column) < at)
  if (repeated !== undefined) throw new DumpError(`${location} names the column ${repeated} twice`)
}

/** Returns `undefined` if an escape sequence is not UTF-8. */
export function decodeCells(
  cells: string[],
  places: ColumnIndexes,
): Record<string, string | null> | undefined {
  const row: Record<string, string | null> = {}
  for (const [column, index] of places) {
    const text = decodeCell(cells[index] ?? '\\N')
    if (text === undefined) return undefined
    row[column] = text
  }
  return row
}

const CONTROLS: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v' }

// Octal and hex escapes are bytes, and several of them may form one character, so consecutive escapes are decoded
// together.
const ESCAPES = /((?:\\(?:[0-7]{1,3}|x[0-9A-Fa-f]{1,2}))+)|\\(.)/g

/** Returns `undefined` if an escape sequence is not UTF-8. */
export function decodeCell(cell: string): string | null | undefined {
  if (cell === '\\N') return null
  if (!cell.includes('\\')) return cell
  let isText = true
  const text = cell.replace(ESCAPES, (_, bytes: string | undefined, letter: string) => {
    if (bytes === undefined) return CONTROLS[letter] ?? letter
    const decoded = decodeBytes(bytes)
    isText &&= decoded !== null
    return decoded ?? ''
  })
  return isText ? text : undefined
}

function decodeBytes(escapes: string): string | null {
  const codes = escapes.split('\\').slice(1)
  return decodeText(
    Uint8Array.from(codes, (code) =>
      code.startsWith('x') ? parseInt(code.slice(1), 16) : parseInt(code, 8),
    ),
  )
}

export function isTrue(text: string | null): boolean {
  return text === 't'
}

/** Returns true for a cell that is neither null nor empty. */
export const isKnown = (text: string | null) => text !== null && text !== ''

/** Returns a whole number, or null for any other string. */
export function integerOf(text: string | null | undefined): number | null {
  return text && /^-?\d+$/.test(text) ? Number(text) : null
}

// The expression is sticky, so that each element directly follows the previous one. An unclosed quote is therefore
// scanned only once.
const ELEMENT = /[{,](?:"((?:[^"\\]|\\.)*)"|([^{},"]*))(?=[,}])/y

/** Returns the elements of a one-dimensional array such as `{ja,"a, b",NULL}`, without nulls. */
export function arrayOf(text: string | null): string[] {
  const elements: string[] = []
  const reader = new RegExp(ELEMENT)
  for (let found = reader.exec(text ?? ''); found; found = reader.exec(text ?? '')) {
    const [, quoted, bare] = found
    if (quoted !== undefined) elements.push(quoted.replaceAll(/\\(.)/g, '$1'))
    else if (bare !== undefined && bare !== '' && bare !== 'NULL') elements.push(bare)
  }
  return elements
}

/**
 * Returns the known part of a date in the form YYYYMMDD: `2004-04-28`, `2004-04` or `2004`. 99 means an unknown month
 * or day.
 *
 * @returns null for the years 0 and 9999
 */
export function partialDate(digits: string | null): string | null {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(digits ?? '') ?? []
  if (!year || year === '9999' || year === '0000') return null
  if (month === '99') return year
  return day === '99' ? `${year}-${month}` : `${year}-${month}-${day}`
}

/** Returns a full date as `YYYY-MM-DD`, or null for a partial one. */
export function fullDay(digits: string | null): string | null {
  const date = partialDate(digits)
  return date?.length === 10 ? date : null
}

/** Returns the distinct lines of text columns, in order, without the names that have a separate field. */
export function otherNames(
  named: (string | null)[],
  texts: (string | null | undefined)[],
): string[] {
  const lines = texts.flatMap((text) => (text ?? '').split('\n')).map((line) => line.trim())
  return [...new Set(lines)].filter((line) => line !== '' && !named.includes(line))
}
