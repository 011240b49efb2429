import { mkdirSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

/** Number of characters written at once. */
const BLOCK = 1 << 18

export type Cell = string | number | boolean | null

/** A file that is written line by line. Buffered data stays bounded if `settle` is called between lines. */
export class LineFile {
  readonly #file: Promise<FileHandle>
  #waiting = ''
  rows = 0

  constructor(path: string) {
    this.#file = open(path, 'w')
    this.#file.catch(() => {})
  }

  line(text: string) {
    this.#waiting += `${text}\n`
    this.rows += 1
  }

  /** Formats a row in PostgreSQL's COPY text format. */
  row(...cells: Cell[]) {
    this.line(cells.map(copyCell).join('\t'))
  }

  async settle(least = BLOCK) {
    if (this.#waiting.length < least) return
    const text = this.#waiting
    this.#waiting = ''
    await (await this.#file).write(text)
  }

  async end() {
    await this.settle(1)
    await (await this.#file).close()
  }
}

function copyCell(cell: Cell): string {
  if (cell === null) return '\\N'
  if (typeof cell === 'boolean') return cell ? 't' : 'f'
  if (typeof cell === 'number') return String(cell)
  return /[\\\t\n\r]/.test(cell)
    ? cell
        .replaceAll('\\', '\\\\')
        .replaceAll('\t', '\\t')
        .replaceAll('\n', '\\n')
        .replaceAll('\r', '\\r')
    : cell
}

/** Files of one dump, created on first use. */
export class DumpFiles {
  readonly #files = new Map<string, LineFile>()
  readonly #folder: string
  readonly #open: (table: string, folder: string) => LineFile

  constructor(folder: string, open: (table: string, folder: string) => LineFile) {
    mkdirSync(folder, { recursive: true })
    this.#folder = folder
    this.#open = open
  }

  of(table: string): LineFile {
    return this.#files.getOrInsertComputed(table, () => this.#open(table, this.#folder))
  }

  async settle() {
    for (const file of this.#files.values()) await file.settle()
  }

  /** @returns number of rows, keyed by table */
  async end(): Promise<Record<string, number>> {
    for (const file of this.#files.values()) await file.end()
    return Object.fromEntries([...this.#files].map(([table, { rows }]) => [table, rows]))
  }
}

/** Creates a file of JSON lines, or one with a header line. */
export const openJsonLines = (table: string, folder: string) =>
  new LineFile(join(folder, `${table}.jsonlines`))
