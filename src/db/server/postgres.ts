import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findCopy } from '../copy.ts'
import type { ObservedPool } from '../observer.ts'
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

/** Time, in milliseconds, after which TCP probes a silent connection. The system's default is two hours. */
const KEEP_ALIVE_MS = 10_000

/** Time, in milliseconds, within which a destroyed connection is closed. */
const MAX_CLOSE_MS = 1_000

export type PostgresOptions = {
  url: string
  poolSize: number
  /** Must be disabled behind a transaction pooler without prepared statements (PgBouncer before 1.21). */
  preparedStatements: boolean
  /** Whether the server rejects writes, even after it was promoted. */
  rejectsWrites?: boolean
  onConnectionError: (error: Error) => void
  onPool?: ((pool: ObservedPool) => void) | undefined
}

/** Creates a Kysely dialect for a PostgreSQL server with a connection pool. */
export function openPostgres({
  url,
  poolSize,
  preparedStatements,
  rejectsWrites = false,
  onConnectionError,
  onPool,
}: PostgresOptions) {
  const idle = new Set<pg.PoolClient>()
  /**
   * Closes idle connections. If one connection is dead, the idle ones are probably dead too, and waiting for each of
   * them to time out would take long.
   */
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
    // JIT compilation would take longer than the statements here. The deadline is set explicitly, because the pool
    // opens a connection for a waiting request in the async context of the request that made room.
    onConnect: (client) =>
      withDeadline(STATEMENT_DEADLINE_MS, async () => {
        await client.query('set jit = off')
        if (rejectsWrites) await client.query('set default_transaction_read_only = on')
      }),
    Client: clientClass(url, preparedStatements, giveUpIdle),
  })
  // Without both listeners, a lost connection would end the process, because the pool only reports errors of idle
  // connections.
  pool.on('connect', (client) => client.on('error', onConnectionError))
  pool.on('error', () => {})
  pool.on('acquire', (client) => idle.delete(client))
  pool.on('release', (_error, client) => idle.add(client))
  pool.on('remove', (client) => idle.delete(client))
  onPool?.(pool)
  return new ServerDialect({ pool })
}

/** Closes a connection at once, without notifying the server, which may never respond. */
export function destroyConnection(client: pg.ClientBase, error?: Error) {
  // as: an internal that the types omit; `end` would wait for the server
  const { connection } = client as unknown as {
    connection: { stream: { destroy(error?: Error): void } }
  }
  connection.stream.destroy(error)
}

/**
 * Creates the client class of one pool. Each statement has a client-side deadline. If one misses it, its connection is
 * destroyed, so that it never returns to the pool.
 */
function clientClass(
  url: string,
  preparedStatements: boolean,
  onDeadlineMissed: () => void,
): typeof pg.Client {
  const nameOf = statementNames()

  return class DeadlineClient extends pg.Client {
    // as: pg.Client.query has ten overloads; Kysely uses (text, values) and awaits the result
    override query = ((text: unknown, values?: unknown[], ...rest: unknown[]) => {
      const milliseconds = currentDeadline()
      if (milliseconds === 0) return Promise.reject(new DeadlineMissedError(milliseconds))
      const copy = findCopy(text, values)
      const name =
        preparedStatements && typeof text === 'string' && values?.length && !copy
          ? nameOf(text)
          : undefined
      const query = super.query.bind(this) as (...args: unknown[]) => unknown
      if (copy) query(copy)
      const result =
        copy?.done ?? (name ? query({ name, text, values }, ...rest) : query(text, values, ...rest))
      if (!(result instanceof Promise)) return result
      const guarded = result.catch((cause: unknown) => this.#failed(cause))
      const limited = milliseconds < Infinity ? this.#withDeadline(guarded, milliseconds) : guarded
      return explainLocks(limited, { url, pid: this.#pid, milliseconds })
    }) as pg.Client['query']

    get #pid() {
      // as: the types omit it
      return (this as unknown as { processID: number }).processID
    }

    /** Keeps the pool from reusing a connection to a read-only database, since a new one may lead to the primary. */
    async #failed(cause: unknown): Promise<never> {
      if (isReadOnly(cause)) {
        const closed = new Promise((resolve) => this.once('end', resolve))
        destroyConnection(this)
        // A connection that has already ended emits no further `end`, so limit the wait.
        await Promise.race([closed, sleep(MAX_CLOSE_MS, undefined, { ref: false })])
      }
      throw cause
    }

    #withDeadline(result: Promise<unknown>, milliseconds: number) {
      let isReady = false
      const giveUp = () => {
        if (isReady) return
        destroyConnection(this, new DeadlineMissedError(milliseconds))
        // A healthy server cancels the statement itself within this time. A shorter deadline may also pass while the
        // statement waits for a lock.
        if (milliseconds >= STATEMENT_TIMEOUT_MS) onDeadlineMissed()
      }
      // After a busy event loop, the response may have arrived without being read: sockets are read before the
      // immediate runs.
      const timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), milliseconds)
      return result.finally(() => {
        isReady = true
        clearTimeout(timer)
      })
    }
  }
}
