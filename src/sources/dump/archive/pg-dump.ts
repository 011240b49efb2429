import { basename } from 'node:path'
import { skipBytes } from './bytes.ts'
import type { Dump, DumpTable } from '../dump.ts'
import { DumpError } from '../dump-error.ts'
import { type LineBlock, readLines } from '../tables/lines.ts'

/** Start of a table's rows: the block of lines, and the number of the first row. */
type Section = {
  columns: string[]
  block: { number: number; offset: number }
  first: number
  hasRows: boolean
}

const END_OF_ROWS = '\\.'
const HEADER = '-- PostgreSQL database dump'
const FOOTER = '-- PostgreSQL database dump complete'
const COPY = /^COPY (?:(?:public|"public")\.)?("[^"]+"|\w+) \((.*)\) FROM stdin;$/

/** Returns true if a string begins like a plain pg_dump. */
export const isPgDump = (text: string) =>
  /^-- PostgreSQL database dump$/m.test(text) || /^COPY \S+ \(/m.test(text)

/**
 * Opens a plain pg_dump, whose rows are between `COPY public.table (a, b) FROM stdin;` and `\.`.
 *
 * Opening reads the whole file once, to detect truncation and to locate the tables. Later reads start at the table.
 *
 * @param bytes returns the decompressed dump from its start
 * @throws {DumpError} if the dump is truncated, contains no tables or contains a table twice
 */
export async function openPgDump(
  path: string,
  bytes: () => AsyncIterable<Uint8Array>,
): Promise<Dump> {
  const sections = await findSections(path, bytes())
  return {
    path,
    tables: new Map(
      [...sections.keys()].map((table) => [table, `${basename(path)}, table ${table}`]),
    ),
    hasRows: async (table) => sections.get(table)?.hasRows ?? false,
    async open(table): Promise<DumpTable | undefined> {
      const section = sections.get(table)
      return (
        section && {
          location: path,
          columns: section.columns,
          lines: readSection(path, bytes(), section),
        }
      )
    },
    close: async () => {},
  }
}

async function findSections(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<Map<string, Section>> {
  const sections = new Map<string, Section>()
  let open: Section | undefined
  let isDump = false
  let isComplete = false
  for await (const { lines, number, offset } of readLines(bytes, path)) {
    for (const [index, line] of lines.entries()) {
      if (open) {
        if (line === END_OF_ROWS) open = undefined
        else open.hasRows = true
        continue
      }
      isDump ||= line === HEADER
      isComplete ||= line === FOOTER
      const [, name = '', columns = ''] = COPY.exec(line ?? '') ?? []
      if (name === '') continue
      open = {
        columns: columns.split(', ').map(unquoted),
        block: { number, offset },
        first: number + index + 1,
        hasRows: false,
      }
      if (sections.has(unquoted(name)))
        throw new DumpError(`${path}:${number + index}: the table ${unquoted(name)} occurs twice.`)
      sections.set(unquoted(name), open)
    }
  }
  if (open || (isDump && !isComplete))
    throw new DumpError(`${path} is truncated: it lacks the end of a pg_dump. Download it again.`)
  if (sections.size === 0)
    throw new DumpError(
      `${path} contains no rows in COPY format. Run pg_dump without --inserts and --schema-only.`,
    )
  return sections
}

const unquoted = (name: string) => name.replace(/^"(.*)"$/, '$1')

async function* readSection(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  { block, first }: Section,
): AsyncGenerator<LineBlock> {
  for await (const { lines, number, offset } of readLines(
    skipBytes(bytes, block.offset),
    path,
    block,
  )) {
    const rows = lines.slice(Math.max(0, first - number))
    const end = rows.indexOf(END_OF_ROWS)
    yield { lines: end === -1 ? rows : rows.slice(0, end), number: Math.max(number, first), offset }
    if (end !== -1) return
  }
}
