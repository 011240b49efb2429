import { CompiledQuery } from 'kysely'
import { CopyData } from './copy.ts'
import type { Database } from './database.ts'

/** Number of buffered characters at which rows are sent. */
const CHUNK_LENGTH = 1 << 20

/**
 * Loads rows into a table in COPY's text format (one line per row, cells separated by tabs), about a megabyte at a
 * time. The next chunk is built while the database reads the previous one.
 */
export class RowCopier {
  readonly #trx: Database
  readonly #statement: string
  #chunk = ''
  /** Settles when the database has read the last chunk. */
  #sent: Promise<unknown> = Promise.resolve()

  constructor(trx: Database, table: string, columns: readonly string[]) {
    this.#trx = trx
    this.#statement = `copy "${table}" (${columns.map((column) => `"${column}"`).join(', ')}) from stdin`
  }

  add(line: string) {
    this.#chunk += `${line}\n`
  }

  /**
   * Sends the buffered rows if there are enough. Call it between rows. At most two chunks are in memory.
   *
   * @throws the database's error for the previous chunk
   */
  async settle() {
    if (this.#chunk.length >= CHUNK_LENGTH) await this.#send()
  }

  /** Sends the remaining rows and waits until the database has read all of them. */
  async end() {
    if (this.#chunk !== '') await this.#send()
    await this.#sent
  }

  async #send() {
    await this.#sent
    const data = new CopyData(Buffer.from(this.#chunk))
    this.#chunk = ''
    this.#sent = this.#trx.executeQuery(CompiledQuery.raw(this.#statement, [data]))
    // The next await reports the error, unless reading the input fails first.
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

/** Escapes text for a cell of COPY's text format. Drops NUL, which PostgreSQL cannot store. */
// oxlint-disable-next-line no-control-regex -- matches NUL on purpose
export const escapeCell = (text: string) =>
  text.replaceAll(/[\\\t\n\r\0]/g, (char) => ESCAPED[char] ?? '')
