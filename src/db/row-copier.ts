import { CompiledQuery } from 'kysely'
import { CopyData } from './copy.ts'
import type { Database } from './database.ts'

/** Characters of rows that are sent at once. */
const PIECE = 1 << 20

/**
 * Loads rows into a table, a megabyte at a time, in COPY's text format: lines of cells with tabs between them. While the
 * database reads one piece the next is made.
 */
export class RowCopier {
  readonly #trx: Database
  readonly #statement: string
  #piece = ''
  /** Settled when the database has read what was sent last. */
  #sent: Promise<unknown> = Promise.resolve()

  constructor(trx: Database, table: string, columns: readonly string[]) {
    this.#trx = trx
    this.#statement = `copy "${table}" (${columns.map((column) => `"${column}"`).join(', ')}) from stdin`
  }

  add(line: string) {
    this.#piece += `${line}\n`
  }

  /**
   * Sends what has been added once that is much; to be called between two rows. Two pieces are in memory at most.
   *
   * @throws what the database says of the piece before
   */
  async settle() {
    if (this.#piece.length >= PIECE) await this.#send()
  }

  /** Sends the rest, and waits until all of it is in the table. */
  async end() {
    if (this.#piece !== '') await this.#send()
    await this.#sent
  }

  async #send() {
    await this.#sent
    const data = new CopyData(Buffer.from(this.#piece))
    this.#piece = ''
    this.#sent = this.#trx.executeQuery(CompiledQuery.raw(this.#statement, [data]))
    // It is told where it is waited for; nobody does when reading the dump has failed meanwhile.
    this.#sent.catch(() => {})
  }
}

const ESCAPED: Record<string, string> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\0': '',
}

/** Text as a cell of COPY's format; PostgreSQL has no NUL. */
// oxlint-disable-next-line no-control-regex -- NUL is what is looked for
export const escapeCell = (text: string) =>
  text.replaceAll(/[\\\t\n\r\0]/g, (char) => ESCAPED[char] ?? '')
