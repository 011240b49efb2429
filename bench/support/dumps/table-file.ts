import { mkdirSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

/** Number of characters written at once. */
const BLOCK = 1 << 18

type Cell = string | number | boolean | null

/** A file that is written line by line. Buffered data stays bounded if `settle` is called between lines. */
class LineFile {
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
  readonly #suffix: string

  constructor(folder: string, suffix: string) {
    mkdirSync(folder, { recursive: true })
    this.#folder = folder
    this.#suffix = suffix
  }

  of(table: string): LineFile {
    return this.#files.getOrInsertComputed(
      table,
      () => new LineFile(join(this.#folder, table + this.#suffix)),
    )
  }

  /** Writes a row in PostgreSQL's COPY text format. */
  row(table: string, ...cells: Cell[]) {
    this.of(table).line(cells.map(copyCell).join('\t'))
  }

  /** Calls each function with the numbers from 1 up to its count. */
  async writeEach(...parts: [count: number, write: (id: number) => void][]) {
    for (const [count, write] of parts)
      for (let id = 1; id <= count; id += 1) {
        write(id)
        if (id % 64 === 0) for (const file of this.#files.values()) await file.settle()
      }
  }

  /** @returns number of rows, keyed by table */
  async end(): Promise<Record<string, number>> {
    for (const file of this.#files.values()) await file.end()
    return Object.fromEntries([...this.#files].map(([table, { rows }]) => [table, rows]))
  }
}
