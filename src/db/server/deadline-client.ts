import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { endsSession } from '../../kernel/is-unavailable.ts'
import { findCopy } from '../copy.ts'
import { currentDeadline, DeadlineMissedError, STATEMENT_TIMEOUT_MS } from './deadlines.ts'
import { destroyConnection } from './destroy-connection.ts'
import { statementNames } from './prepared-statements.ts'
import type { PrimaryFinder } from './primary-finder.ts'
import {
  BEGIN_SESSION,
  DEFAULT_SETTINGS,
  localSettings,
  PooledQuery,
  type NewSession,
  type SessionSettings,
} from './session.ts'
import { explainLocks } from './watch-locks.ts'

/** Maximum time, in milliseconds, to wait until a destroyed connection is closed. */
const MAX_CLOSE_MS = 1_000

/** Members that the types of pg omit. */
type ClientInternals = {
  processID: number
  connection: { parsedStatements: Record<string, string> }
  connectionParameters: Partial<Record<keyof SessionSettings, string | number | false>>
}

type ClientOptions = {
  url: string
  application: string
  preparedStatements: boolean
  finder: PrimaryFinder
  onDeadlineMissed: () => void
}

/** A connection of the pool. */
export type PoolClient = pg.Client & {
  /** URL of the host, once chosen. */
  readonly hostUrl: string | undefined
  /** Applies the settings that every session has. */
  beginSession(): Promise<void>
}

/**
 * Creates the client class of one pool. Each statement has a client-side deadline. If one misses it, its connection is
 * destroyed, so that it never returns to the pool.
 */
export function clientClass({
  url,
  application,
  preparedStatements,
  finder,
  onDeadlineMissed,
}: ClientOptions) {
  const nameOf = statementNames()

  return class DeadlineClient extends pg.Client implements PoolClient {
    hostUrl: string | undefined
    readonly #settings: SessionSettings
    /** Whether the connection leads through a pooler that may run each transaction in a different session. */
    #isPooled = false
    #pid = 0
    /** Name of the prepared statement that was sent last, if any. */
    #name: string | undefined
    /**
     * Number of prepared statements that PostgreSQL rejected. It is appended to names, because a pooler treats rejected
     * names as used.
     */
    #rejectedNames = 0

    constructor(config?: pg.ClientConfig) {
      super(config)
      const { connectionParameters } = this.#internals
      const { statement_timeout, idle_in_transaction_session_timeout } = connectionParameters
      // The URL may contain timeouts. They must not be startup parameters, which poolers reject.
      this.#settings = {
        statement_timeout: Number(statement_timeout || DEFAULT_SETTINGS.statement_timeout),
        idle_in_transaction_session_timeout: Number(
          idle_in_transaction_session_timeout ||
            DEFAULT_SETTINGS.idle_in_transaction_session_timeout,
        ),
      }
      connectionParameters.statement_timeout = false
      connectionParameters.idle_in_transaction_session_timeout = false
    }

    get #internals() {
      return this as unknown as ClientInternals
    }

    // as: pg.Client.connect has two overloads; the pool passes a callback
    override connect = ((done?: (error?: Error) => void) => {
      const connecting = this.#connect()
      if (!done) return connecting
      connecting.then(() => done(), done)
    }) as pg.Client['connect']

    async #connect() {
      const url = await finder.find()
      this.hostUrl = url
      if (finder.hasSeveralHosts) {
        const { host, port } = new pg.Client({ connectionString: url })
        Object.assign(this, { host, port })
      }
      try {
        await super.connect()
      } catch (error) {
        finder.forget(url)
        throw error
      }
    }

    async beginSession() {
      const { statement_timeout, idle_in_transaction_session_timeout } = this.#settings
      this.#pid = this.#internals.processID
      const { rows } = await super.query<NewSession>(BEGIN_SESSION.text, [
        this.#pid,
        String(statement_timeout),
        String(idle_in_transaction_session_timeout),
        application,
      ])
      const { is_direct = false, is_read_only = false } = rows[0] ?? {}
      this.#isPooled = !is_direct
      if (!is_read_only || !finder.needsPrimary) return
      if (this.hostUrl !== undefined) finder.forget(this.hostUrl)
      throw new ReadOnlyHostError()
    }

    // as: pg.Client.query has ten overloads; Kysely uses (text, values) and awaits the result
    override query = ((text: unknown, values?: unknown[], ...rest: unknown[]) => {
      const milliseconds = currentDeadline()
      if (milliseconds === 0) return Promise.reject(new DeadlineMissedError(milliseconds))
      const result = this.#send(text, values, rest, milliseconds === Infinity)
      if (!(result instanceof Promise)) return result
      const guarded = result.catch((cause: unknown) => this.#failed(cause))
      const limited = milliseconds < Infinity ? this.#withDeadline(guarded, milliseconds) : guarded
      return explainLocks(limited, { url, pid: this.#pid, milliseconds })
    }) as pg.Client['query']

    /** @param isUnlimited whether the server's statement timeout must not apply */
    #send(
      text: unknown,
      values: unknown[] | undefined,
      rest: unknown[],
      isUnlimited: boolean,
    ): unknown {
      const query = super.query.bind(this) as (...args: unknown[]) => unknown
      const copy = findCopy(text, values)
      if (copy) {
        query(copy)
        return copy.done
      }
      if (typeof text !== 'string') return query(text, values, ...rest)
      const isAlone = this.getTransactionStatus() === 'I'
      if (isAlone && BEGINS_TRANSACTION.test(text))
        return this.#isPooled ? this.#beginPooled(query, text) : query(text, values, ...rest)
      if (isAlone && isUnlimited)
        return this.#isPooled
          ? query(text, values, ...rest)
          : this.#sendUnlimited(query, text, values)
      const name = preparedStatements && values?.length ? this.#prepareName(text) : undefined
      this.#name = name
      if (isAlone && this.#isPooled) {
        const pooled = new PooledQuery(text, values ?? [], name, this.#settings)
        query(pooled)
        return pooled.done
      }
      return name ? query({ name, text, values }, ...rest) : query(text, values, ...rest)
    }

    #prepareName(text: string) {
      const name = nameOf(text)
      return name === undefined || this.#rejectedNames === 0
        ? name
        : `${name}${this.#rejectedNames}`
    }

    async #beginPooled(query: (...args: unknown[]) => unknown, text: string) {
      // as: one result for each statement
      const results = (await query(`${text}; ${localSettings(this.#settings)}`)) as pg.QueryResult<{
        pid: number
      }>[]
      this.#pid = results.at(-1)?.rows[0]?.pid ?? 0
      return results[0]
    }

    async #sendUnlimited(query: (...args: unknown[]) => unknown, text: string, values?: unknown[]) {
      await query('set statement_timeout = 0')
      try {
        return await query(text, values)
      } finally {
        // Fails only if the connection is lost. That error must not hide the original one.
        const { statement_timeout } = this.#settings
        await Promise.resolve(query(`set statement_timeout = ${statement_timeout}`)).catch(() => {})
      }
    }

    /** Keeps the pool from reusing a connection that leads to a read-only or failing server. */
    async #failed(cause: unknown): Promise<never> {
      const isRejected = this.#name && !(this.#name in this.#internals.connection.parsedStatements)
      if (this.#isPooled && isRejected) this.#rejectedNames += 1
      if (endsSession(cause)) {
        if (this.hostUrl !== undefined) finder.forget(this.hostUrl)
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
        if (milliseconds < STATEMENT_TIMEOUT_MS) return
        if (this.hostUrl !== undefined) finder.forget(this.hostUrl)
        onDeadlineMissed()
      }
      // After a long turn of the event loop, the response may have arrived without having been read. Sockets are read
      // before the second immediate runs.
      const timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), milliseconds)
      return result.finally(() => {
        isReady = true
        clearTimeout(timer)
      })
    }
  }
}

/** Matches the statements with which Kysely begins a transaction. */
const BEGINS_TRANSACTION = /^(begin|start transaction)/

/** Error of a new connection that leads to a standby, although its URL requires a database that accepts writes. */
class ReadOnlyHostError extends Error {
  override name = 'ReadOnlyHostError'
  readonly code = '25006'

  constructor() {
    super('The host accepts no writes, but target_session_attrs is read-write')
  }
}
