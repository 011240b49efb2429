import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { CopyStatement, findCopyData } from '../copy.ts'
import {
  currentDeadline,
  DeadlineMissedError,
  IDLE_TRANSACTION_MS,
  STATEMENT_DEADLINE_MS,
  STATEMENT_TIMEOUT_MS,
  withDeadline,
} from './deadlines.ts'
import { isReadOnly } from '../../kernel/is-unavailable.ts'
import { statementNames } from './prepared-statements.ts'
import { ServerDialect } from './server-dialect.ts'
import { parserOf } from './type-parsers.ts'
import { explainLocks } from './watch-locks.ts'

/** A connection that is silent for so long is probed by TCP; the system's own default is two hours. */
const KEEP_ALIVE_MS = 10_000

/** Time, in milliseconds, within which a destroyed connection is closed. */
const MAX_CLOSE_MS = 1_000

export type PostgresOptions = {
  url: string
  poolSize: number
  /** Off behind a pooler that mixes sessions (PgBouncer before 1.21). */
  preparedStatements: boolean
  onConnectionError: (error: Error) => void
}

/** A PostgreSQL server through a pool of connections. */
export function openPostgres({
  url,
  poolSize,
  preparedStatements,
  onConnectionError,
}: PostgresOptions) {
  const idle = new Set<pg.PoolClient>()
  /** What one connection has met is likely to await the others that are idle: they are not worth waiting for one by one. */
  const giveUpIdle = () => {
    for (const client of idle) destroyConnection(client)
  }
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: STATEMENT_DEADLINE_MS,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
    application_name: 'mokuroku',
    types: { getTypeParser: parserOf },
    // Statements here run faster than JIT would compile them. The deadline is the connection's own: the pool opens
    // it on behalf of a waiting request, but in the context of the request that made room.
    onConnect: (client) =>
      withDeadline(STATEMENT_DEADLINE_MS, async () => {
        await client.query('set jit = off')
      }),
    Client: clientClass(url, preparedStatements, giveUpIdle),
  })
  // Without a listener on both, the loss of a connection would end the process: the pool hears of idle ones only.
  pool.on('connect', (client) => client.on('error', onConnectionError))
  pool.on('error', () => {})
  pool.on('acquire', (client) => idle.delete(client))
  pool.on('release', (_error, client) => idle.add(client))
  pool.on('remove', (client) => idle.delete(client))
  return new ServerDialect({ pool })
}

/** At once, without a word to the server, which may never answer. */
export function destroyConnection(client: pg.ClientBase, error?: Error) {
  // as: an internal the types leave out; `end` would wait for the other side
  const { connection } = client as unknown as {
    connection: { stream: { destroy(error?: Error): void } }
  }
  connection.stream.destroy(error)
}

/**
 * Makes the clients of one pool. Each statement has its deadline on our side: one that misses it fails, and its
 * connection with it, so that it never comes back to the pool.
 */
function clientClass(
  url: string,
  preparedStatements: boolean,
  onDeadlineMissed: () => void,
): typeof pg.Client {
  const nameOf = statementNames()

  return class DeadlineClient extends pg.Client {
    // as: pg.Client.query is an overload of ten forms; Kysely uses (text, values) and awaits what comes back
    override query = ((text: unknown, values?: unknown[], ...rest: unknown[]) => {
      const milliseconds = currentDeadline()
      if (milliseconds === 0) return Promise.reject(new DeadlineMissedError(milliseconds))
      const data = findCopyData(values)
      const name =
        preparedStatements && typeof text === 'string' && values?.length && !data
          ? nameOf(text)
          : undefined
      const query = super.query.bind(this) as (...args: unknown[]) => unknown
      const copy = data && new CopyStatement(String(text), data)
      if (copy) query(copy)
      const answer =
        copy?.done ?? (name ? query({ name, text, values }, ...rest) : query(text, values, ...rest))
      if (!(answer instanceof Promise)) return answer
      const kept = answer.catch((cause: unknown) => this.#failed(cause))
      const limited = milliseconds < Infinity ? this.#withDeadline(kept, milliseconds) : kept
      return explainLocks(limited, { url, pid: this.#pid, milliseconds })
    }) as pg.Client['query']

    get #pid() {
      // as: the types leave it out
      return (this as unknown as { processID: number }).processID
    }

    /** Keeps the pool from reusing a connection to a read-only database: a new one may lead to the primary. */
    async #failed(cause: unknown): Promise<never> {
      if (isReadOnly(cause)) {
        const closed = new Promise((resolve) => this.once('end', resolve))
        destroyConnection(this)
        // A connection that has already ended emits no further `end`, so limit the wait.
        await Promise.race([closed, sleep(MAX_CLOSE_MS, undefined, { ref: false })])
      }
      throw cause
    }

    #withDeadline(answer: Promise<unknown>, milliseconds: number) {
      let isAnswered = false
      const giveUp = () => {
        if (isAnswered) return
        destroyConnection(this, new DeadlineMissedError(milliseconds))
        // Within this time a healthy server cancels the statement itself; a shorter deadline can pass while it waits for a lock.
        if (milliseconds >= STATEMENT_TIMEOUT_MS) onDeadlineMissed()
      }
      // When the event loop was busy, the answer may have come and not been read: sockets are read before the immediate.
      const timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), milliseconds)
      return answer.finally(() => {
        isAnswered = true
        clearTimeout(timer)
      })
    }
  }
}
