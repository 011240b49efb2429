import { CompiledQuery } from 'kysely'
import { CopyData } from './copy.ts'
import type { Database } from './database.ts'

/** Characters of rows that are sent at once. */
const PIECE = 1 << 20

/** Loads rows into a table, a megabyte at a time, in COPY's text format: lines of cells with tabs between them. */
export class RowCopier {
  readonly #trx: Database
  readonly #statement: string
  #piece = ''

  constructor(trx: Database, table: string, columns: readonly string[]) {
    this.#trx = trx
    this.#statement = `copy "${table}" (${columns.map((column) => `"${column}"`).join(', ')}) from stdin`
  }

  add(line: string) {
    this.#piece += `${line}\n`
  }

  /** Sends what has been added once that is much; to be called between two rows. */
  async settle() {
    if (this.#piece.length >= PIECE) await this.end()
  }

  async end() {
    if (this.#piece === '') return
    const data = new CopyData(Buffer.from(this.#piece))
    this.#piece = ''
    await this.#trx.executeQuery(CompiledQuery.raw(this.#statement, [data]))
  }
}

const ESCAPED: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': '' }

/** Text as a cell of COPY's format; PostgreSQL has no NUL. */
// oxlint-disable-next-line no-control-regex -- NUL is what is looked for
export const escapeCell = (text: string) => text.replaceAll(/[\\\t\n\r\0]/g, (char) => ESCAPED[char] ?? '')
