import type { LineBlock } from './tables/lines.ts'

/** Open table of a dump. Each row is one line, as written in the dump. */
export type DumpTable = {
  /** Location for messages: a file, or a file and a path within it. */
  location: string
  /** Column names in order. Empty for JSON lines, where each row contains its own names. */
  columns: readonly string[]
  lines: AsyncIterable<LineBlock>
}

/** Tables, keyed by name, regardless of packaging. Dumps are never extracted to disk. */
export type Dump = {
  path: string
  /** Location of each table for messages. */
  tables: ReadonlyMap<string, string>
  /** Returns false if the table contains only a header or an end marker. */
  hasRows(table: string): Promise<boolean>
  /** Opens a table, or returns `undefined` if it is missing. May be called several times. */
  open(table: string): Promise<DumpTable | undefined>
  /** Returns the beginning of another file in the folder of the tables or above it, if the file exists. */
  readNote?(name: string): Promise<string | undefined>
  close(): Promise<void>
}

/** Files of a folder, or of an archive that is read in place. */
export type Archive = {
  path: string
  /** Regular files, keyed by path, with `/` as separator. Excludes links and folders. */
  files: ReadonlyMap<string, { size: number }>
  head(name: string): Promise<Uint8Array>
  read(name: string): AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  close(): Promise<void>
}

/** Number of bytes that is enough for a header with the first rows, or for a whole small table. */
export const HEAD_BYTES = 64 * 1024
