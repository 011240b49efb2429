import { PostgresDialect, PostgresDriver, type PostgresPool, type PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { findCopy } from '../copy.ts'
import { currentDeadline, DeadlineMissedError } from '../server/deadlines.ts'
import { statementNames } from '../server/prepared-statements.ts'

/**
 * A pool with the embedded database's single connection, which it lends to one borrower at a time. Other statements
 * cannot interrupt a transaction, and wait no longer than for a real pool.
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
      const copy = findCopy(text, values)
      if (copy) return client.query(copy).done
      const name = nameOf(text)
      return client.query({ ...(name && { name }), text, values: [...values] })
    }
    // as: Kysely uses the other form of `query` only with cursors, which are not configured
    const lent: object = { query, release: () => this.#release() }
    this.#lent = lent as PostgresPoolClient
  }

  readonly totalCount = 1

  get idleCount() {
    return this.#isLent ? 0 : 1
  }

  get waitingCount() {
    return this.#waiting.length
  }

  async connect(): Promise<PostgresPoolClient> {
    if (this.#isLent) await this.#waitForTurn()
    this.#isLent = true
    return this.#lent
  }

  /** Waits for the connection within the current deadline. */
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

  /** Runs a statement between other callers' statements. */
  async runOutside(statement: string) {
    const client = await this.connect()
    try {
      await client.query(statement, [])
    } finally {
      client.release()
    }
  }

  /** Takes the connection once no caller holds or waits for it. */
  async drain() {
    if (this.#isLent) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#isLent = true
  }

  /** Closes the connection. Call it after `drain`. */
  async end() {
    await this.#client.end()
  }
}

/** Kysely's dialect, changed so that callers already waiting still get the connection during close. */
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
