import { createReadStream, existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ImportReport } from './record.ts'

/**
 * A folder with one file a table in PostgreSQL's COPY text format.
 *
 * `header` says where the column names stand: on the first line of `<table>.tsv`, or in `<table>.header` beside
 * `<table>`. Columns change places, come and go between two dumps of the same source, so they are only ever
 * found by name.
 */
export type CopyFolder = { dir: string; header: 'first line' | 'own file'; report: ImportReport }

/** Null is `\N`, or a column the file does not have; an older column is undefined where the file does not have it. */
export type CopyRow<Column extends string, Older extends string = never> = Record<Column, string | null> &
  Partial<Record<Older, string | null>>

/**
 * The rows of a table in file order, each with the columns asked for and no others.
 *
 * A table that is missing has no rows, a column that is missing is null; the report notes both.
 *
 * @param olderColumns columns of earlier dumps, whose absence is no news
 * @throws {Error} naming file and line, when a row has more or fewer columns than the header
 */
export async function* readTable<Column extends string, Older extends string = never>(
  folder: CopyFolder,
  table: string,
  columns: readonly Column[],
  olderColumns: readonly Older[] = [],
): AsyncGenerator<CopyRow<Column, Older>> {
  const ownHeader = folder.header === 'own file'
  const file = join(folder.dir, ownHeader ? table : `${table}.tsv`)
  if (!existsSync(file)) {
    folder.report.note('a table is missing', table)
    return
  }
  const lines = readLines(file)
  const header =
    (ownHeader ? await readHeader(`${file}.header`) : (await lines.next()).value)?.split('\t') ?? []
  for (const column of columns.filter((column) => !header.includes(column))) {
    folder.report.note('a column is missing', `${table}.${column}`)
  }
  const asked = [...columns, ...olderColumns.filter((column) => header.includes(column))]
  const places = asked.map((column) => [column, header.indexOf(column)] as const)

  let number = ownHeader ? 0 : 1
  for await (const line of lines) {
    number += 1
    if (line === '\\.') return
    const cells = line.split('\t')
    if (cells.length !== header.length) {
      throw new Error(`${file}:${number}: ${cells.length} columns, where its header names ${header.length}`)
    }
    const row = Object.fromEntries(
      places.map(([column, place]) => [column, decodeCell(cells[place] ?? '\\N')]),
    )
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the boundary of file and type: `places` has every column
    yield row as CopyRow<Column, Older>
  }
}

/** Rows read to their end into lists by key, in file order; those whose key or value is null are left out. */
export async function groupRows<Row, Value>(
  rows: AsyncIterable<Row>,
  keyOf: (row: Row) => string | null,
  valueOf: (row: Row) => Value | null,
): Promise<Map<string, Value[]>> {
  const groups = new Map<string, Value[]>()
  for await (const row of rows) {
    const key = keyOf(row)
    const value = valueOf(row)
    if (key !== null && value !== null) groups.getOrInsert(key, []).push(value)
  }
  return groups
}

async function readHeader(file: string): Promise<string> {
  if (!existsSync(file)) throw new Error(`${file} is missing: without it the columns have no names`)
  return (await readFile(file, 'utf8')).trimEnd()
}

// Not node:readline, which would also break a line at U+2028, a character that descriptions do contain.
// A raw carriage return is never data (it is written `\r`), only the trace of a file that passed through Windows.
async function* readLines(file: string): AsyncGenerator<string, undefined> {
  let rest = ''
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line
  }
  if (rest !== '') yield rest
}

const CONTROLS: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v' }

// Octal and hex escapes are bytes, of which several make one character: a run of them is decoded as a whole.
const ESCAPES = /((?:\\(?:[0-7]{1,3}|x[0-9A-Fa-f]{1,2}))+)|\\(.)/g

function decodeCell(cell: string): string | null {
  if (cell === '\\N') return null
  if (!cell.includes('\\')) return cell
  return cell.replace(ESCAPES, (_, bytes: string | undefined, letter: string) =>
    bytes === undefined ? (CONTROLS[letter] ?? letter) : decodeBytes(bytes),
  )
}

function decodeBytes(escapes: string): string {
  const codes = escapes.split('\\').slice(1)
  return Buffer.from(
    codes.map((code) => (code.startsWith('x') ? parseInt(code.slice(1), 16) : parseInt(code, 8))),
  ).toString('utf8')
}

/** Whether a boolean column says true; null is false. */
export function isTrue(text: string | null): boolean {
  return text === 't'
}

/** A whole number, or null where there is none. */
export function integerOf(text: string | null | undefined): number | null {
  return text && /^-?\d+$/.test(text) ? Number(text) : null
}

/** The elements of a one-dimensional array such as `{ja,"a, b",NULL}`; null elements are left out. */
export function arrayOf(text: string | null): string[] {
  const elements = (text ?? '').matchAll(/[{,](?:"((?:[^"\\]|\\.)*)"|([^{},"]+))(?=[,}])/g)
  return [...elements].flatMap(([, quoted, bare]) => {
    if (quoted !== undefined) return [quoted.replaceAll(/\\(.)/g, '$1')]
    return bare === undefined || bare === 'NULL' ? [] : [bare]
  })
}

/**
 * As much as is known of a date written as the number YYYYMMDD: `2004-04-28`, `2004-04`, `2004`.
 *
 * @returns null for 0 and for a year 9999; 99 in the place of month or day means unknown
 */
export function partialDate(digits: string | null): string | null {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(digits ?? '') ?? []
  if (!year || year === '9999' || year === '0000') return null
  if (month === '99') return year
  return day === '99' ? `${year}-${month}` : `${year}-${month}-${day}`
}

/** A date known to the day as `YYYY-MM-DD`, else null. */
export function fullDay(digits: string | null): string | null {
  const date = partialDate(digits)
  return date?.length === 10 ? date : null
}

/** The distinct lines of some text columns, in order, without the names that have a field of their own. */
export function otherNames(named: (string | null)[], texts: (string | null | undefined)[]): string[] {
  const lines = texts.flatMap((text) => (text ?? '').split('\n')).map((line) => line.trim())
  return [...new Set(lines)].filter((line) => line !== '' && !named.includes(line))
}
