import { PostgresDialect, PostgresDriver, type PostgresPool, type PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { CopyStatement, findCopyData } from '../copy.ts'
import { currentDeadline, DeadlineMissedError } from '../server/deadlines.ts'
import { statementNames } from '../server/prepared-statements.ts'

/**
 * What Kysely takes for a pool: the one connection to the embedded database, lent to one borrower at a time. A transaction
 * that has it is not interrupted by the statements of others, and those wait no longer than for a pool's.
 */
export class EmbeddedPool implements PostgresPool {
  readonly options = {}
  readonly #client: pg.Client
  readonly #lent: PostgresPoolClient
  readonly #waiting: (() => void)[] = []
  #isLent = false

  /** @param admit throws for a statement that must not run now */
  constructor(client: pg.Client, admit: (statement: string) => void) {
    this.#client = client
    const nameOf = statementNames()
    const query = async (text: string, values?: readonly unknown[]) => {
      admit(text)
      if (!values?.length) return client.query(text)
      const data = findCopyData(values)
      if (data) return client.query(new CopyStatement(text, data)).done
      const name = nameOf(text)
      return client.query({ ...(name && { name }), text, values: [...values] })
    }
    // as: of the two forms of `query` Kysely uses the other with cursors alone, which it has not been given
    const lent: object = { query, release: () => this.#release() }
    this.#lent = lent as PostgresPoolClient
  }

  async connect(): Promise<PostgresPoolClient> {
    if (this.#isLent) await this.#waitForTurn()
    this.#isLent = true
    return this.#lent
  }

  /** With a deadline, as a pool of connections has one. */
  #waitForTurn() {
    return new Promise<void>((resolve, reject) => {
      const lend = () => {
        clearTimeout(timer)
        resolve()
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

  #release() {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#isLent = false
  }

  /** Runs a statement of its own, between those of others. */
  async runOutside(statement: string) {
    const client = await this.connect()
    try {
      await client.query(statement, [])
    } finally {
      client.release()
    }
  }

  /** Takes the connection when nobody has it or waits for it any more. */
  async drain() {
    if (this.#isLent) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#isLent = true
  }

  /** After `drain`. */
  async end() {
    await this.#client.end()
  }
}

/** Kysely's dialect, but that whoever waits for the connection when it is closed still gets it. */
export class EmbeddedDialect extends PostgresDialect {
  readonly #pool: EmbeddedPool

  constructor({ pool }: { pool: EmbeddedPool }) {
    super({ pool })
    this.#pool = pool
  }

  override createDriver() {
    const pool = this.#pool
    return new (class extends PostgresDriver {
      override async destroy() {
        await pool.drain()
        await super.destroy()
      }
    })({ pool })
  }
}
