import type { PGlite } from '@electric-sql/pglite'
import {
  AbortedTransactionError,
  CompiledQuery,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
} from 'kysely'

import { currentDeadline, DeadlineMissedError } from './deadlines.ts'

/**
 * Kysely over PGlite with its one connection lent to one borrower at a time.
 *
 * Kysely's own `PGliteDialect` hands the connection to everybody at once, so that a request's statement may run inside
 * another request's transaction, and be undone with it. Here it waits until that transaction has ended.
 */
export class ExclusivePGliteDialect implements Dialect {
  readonly #driver: ExclusivePGliteDriver

  /** @param admit throws for a statement that must not run now */
  constructor(pglite: PGlite, admit: (statement: string) => void) {
    this.#driver = new ExclusivePGliteDriver(pglite, admit)
  }

  createAdapter = () => new PostgresAdapter()
  createDriver = () => this.#driver
  createIntrospector = (db: Kysely<unknown>) => new PostgresIntrospector(db)
  createQueryCompiler = () => new PostgresQueryCompiler()

  /** Runs a statement of its own, between those of others. */
  async runOutside(statement: string) {
    const connection = await this.#driver.acquireConnection()
    try {
      await connection.executeQuery(CompiledQuery.raw(statement))
    } finally {
      await this.#driver.releaseConnection()
    }
  }
}

class ExclusivePGliteDriver implements Driver {
  readonly #pglite: PGlite
  readonly #connection: PGliteConnection
  readonly #waiting: ((connection: PGliteConnection) => void)[] = []
  #isLent = false

  constructor(pglite: PGlite, admit: (statement: string) => void) {
    this.#pglite = pglite
    this.#connection = new PGliteConnection(pglite, admit)
  }

  async init() {
    await this.#pglite.waitReady
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#isLent) return await this.#waitForConnection()
    this.#isLent = true
    return this.#connection
  }

  /** With a deadline, as a pool of connections has one. */
  #waitForConnection() {
    return new Promise<DatabaseConnection>((resolve, reject) => {
      const lend = (connection: PGliteConnection) => {
        clearTimeout(timer)
        resolve(connection)
      }
      const milliseconds = currentDeadline()
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(lend), 1)
        reject(new DeadlineMissedError(milliseconds))
      }
      const timer = milliseconds < Infinity ? setTimeout(giveUp, milliseconds) : undefined
      this.#waiting.push(lend)
    })
  }

  async releaseConnection() {
    const next = this.#waiting.shift()
    if (next) next(this.#connection)
    else this.#isLent = false
  }

  async beginTransaction(connection: DatabaseConnection) {
    await connection.executeQuery(CompiledQuery.raw('begin'))
  }

  /** PostgreSQL answers the commit of a failed transaction with a rollback, which PGlite does not tell apart. */
  async commitTransaction(connection: DatabaseConnection) {
    try {
      await connection.executeQuery(CompiledQuery.raw('select'))
    } catch (cause) {
      await this.rollbackTransaction(connection)
      throw new AbortedTransactionError({ cause })
    }
    await connection.executeQuery(CompiledQuery.raw('commit'))
  }

  async rollbackTransaction(connection: DatabaseConnection) {
    await connection.executeQuery(CompiledQuery.raw('rollback'))
  }

  /** Whoever has the connection, or waits for it, comes first. */
  async destroy() {
    if (this.#isLent) await new Promise((resolve) => this.#waiting.push(resolve))
    this.#isLent = true
    if (!this.#pglite.closed) await this.#pglite.close()
  }
}

class PGliteConnection implements DatabaseConnection {
  readonly #pglite: PGlite
  readonly #admit: (statement: string) => void

  constructor(pglite: PGlite, admit: (statement: string) => void) {
    this.#pglite = pglite
    this.#admit = admit
  }

  /** A text without parameters may hold several statements, as with pg; the last one's rows are the result. */
  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    this.#admit(sql)
    const result =
      parameters.length === 0
        ? (await this.#pglite.exec(sql)).at(-1)
        : await this.#pglite.query<Row>(sql, [...parameters])
    return {
      // as: exec cannot be told the type of a row
      rows: (result?.rows ?? []) as Row[],
      numAffectedRows: BigInt(result?.affectedRows ?? 0),
    }
  }

  // oxlint-disable-next-line require-yield -- the interface asks for a generator
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('PGlite cannot stream a result')
  }
}
