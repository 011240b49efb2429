import type { LineBlock } from './tables/lines.ts'

/** A table of a dump, opened: its rows as they are written, one a line. */
export type DumpTable = {
  /** Where the rows stand, for messages: a file, or a file and the path inside it. */
  place: string
  /** The names of the columns in their order; none for JSON lines, where each row names its own. */
  columns: readonly string[]
  lines: AsyncIterable<LineBlock>
}

/** Named tables, whatever they are packed in. Nothing of a dump is ever unpacked to disk. */
export type Dump = {
  path: string
  /** The tables it has, each with the place that messages name. */
  tables: ReadonlyMap<string, string>
  /** False where there is nothing but a header or an end mark. */
  hasRows(table: string): Promise<boolean>
  /** Undefined when there is no such table. A table may be opened as often as wanted. */
  open(table: string): Promise<DumpTable | undefined>
  /** The beginning of another file that lies beside the tables, or above them; undefined when there is none. */
  note?(name: string): Promise<string | undefined>
  /** Lets go of what is open. */
  close(): Promise<void>
}

/** Files by name with their bytes: a folder, or an archive read in place. */
export type Archive = {
  path: string
  /** Regular files by their path inside, divided by `/`; links and folders are none. */
  files: ReadonlyMap<string, { size: number }>
  /** The first bytes of a file, at most `HEAD_BYTES`. */
  head(name: string): Promise<Uint8Array>
  read(name: string): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

/** Enough for a header, the first rows, and the whole of a small table. */
export const HEAD_BYTES = 64 * 1024
