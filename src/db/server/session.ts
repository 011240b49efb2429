import pg from 'pg'
import { statement } from '../statement.ts'
import { IDLE_TRANSACTION_MS, STATEMENT_TIMEOUT_MS } from './deadlines.ts'

/** Suffix of the application name of a session, until it is known not to lead through a connection pooler. */
export const VIA_POOLER = ' via pooler'

/** Timeouts of every session. JIT compilation is disabled, because it would take longer than the statements here. */
export type SessionSettings = {
  statement_timeout: number
  idle_in_transaction_session_timeout: number
}

export const DEFAULT_SETTINGS: SessionSettings = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
}

/** Facts about a new connection. */
export type NewSession = {
  /**
   * Whether the connection always uses the same session. Otherwise, a pooler may run each transaction in a different
   * session.
   */
  is_direct: boolean
  is_read_only: boolean
}

/**
 * Detects a pooler, which assigns its own process IDs, and a read-only database. Without a pooler, applies the settings
 * to the session. Behind one, they would leak to other clients of the session.
 *
 * `$1`: process ID that the connection has received; `$2`, `$3`: timeouts; `$4`: application name
 */
export const BEGIN_SESSION = statement('db.begin_session').returning<NewSession>(`
  select
    pg_backend_pid() = $1::integer as is_direct,
    pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as is_read_only,
    case when pg_backend_pid() = $1::integer then array[
      set_config('statement_timeout', $2::text, false),
      set_config('idle_in_transaction_session_timeout', $3::text, false),
      set_config('jit', 'off', false),
      set_config('application_name', $4::text, false)
    ] end as settings`)

/** Finds out whether the connection leads through a pooler. */
export const IS_POOLED = statement('db.is_pooled').returning<{ is_pooled: boolean }>(`
  select current_setting('application_name') like '%${VIA_POOLER}' as is_pooled`)

/** Returns statements that apply the settings to the current transaction, and return the process ID of its session. */
export const localSettings = (settings: SessionSettings) =>
  `set local statement_timeout = ${settings.statement_timeout}; ` +
  `set local idle_in_transaction_session_timeout = ${settings.idle_in_transaction_session_timeout}; ` +
  'set local jit = off; select pg_backend_pid() as pid'

/**
 * Statement outside a transaction, sent through a pooler. Its settings precede it in the same batch of messages.
 * PostgreSQL runs the batch as one transaction, so the settings cost no round trip.
 */
export class PooledQuery extends pg.Query {
  readonly #settings: SessionSettings
  readonly #name: string | undefined
  readonly done: Promise<pg.QueryResult>
  #isSet = false

  constructor(
    text: string,
    values: unknown[],
    name: string | undefined,
    settings: SessionSettings,
  ) {
    const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>()
    // as: the types omit `queryMode`, without which a statement without parameters would use the simple protocol
    const config = { text, values, queryMode: 'extended', ...(name && { name }) } as pg.QueryConfig
    super(config, (error: Error | null | undefined, result) =>
      error ? reject(error) : resolve(result),
    )
    this.done = promise
    this.#settings = settings
    this.#name = name
  }

  // The following members override methods of `pg.Query` that its types omit.

  // A property, because the types declare one.
  override submit = (connection: pg.Connection) => {
    const { statement_timeout, idle_in_transaction_session_timeout } = this.#settings
    const { stream } = connection
    stream.cork()
    connection.parse(
      {
        name: '',
        types: [],
        text:
          `select set_config('statement_timeout', '${statement_timeout}', true), set_config('jit', 'off', true), ` +
          `set_config('idle_in_transaction_session_timeout', '${idle_in_transaction_session_timeout}', true)`,
      },
      true,
    )
    connection.bind({}, true)
    connection.execute({}, true)
    const error = this.#base.submit.call(this, connection)
    stream.uncork()
    // Otherwise pg would attribute the first response, that of the settings, to the prepared statement.
    this.#rename(undefined)
    return error
  }

  handleDataRow(message: unknown) {
    if (this.#isSet) this.#base.handleDataRow.call(this, message)
  }

  handleCommandComplete(message: unknown, connection: pg.Connection) {
    if (this.#isSet) return this.#base.handleCommandComplete.call(this, message, connection)
    this.#isSet = true
    this.#rename(this.#name)
  }

  handleError(error: Error, connection: PreparingConnection) {
    if (!this.#isSet && this.#name) delete connection.submittedNamedStatements[this.#name]
    this.#base.handleError.call(this, error, connection)
  }

  #rename(name: string | undefined) {
    Object.assign(this, { name })
  }

  get #base() {
    // as: methods that the types omit
    return pg.Query.prototype as unknown as Record<
      'submit' | 'handleDataRow' | 'handleCommandComplete' | 'handleError',
      (...parameters: unknown[]) => unknown
    >
  }
}

type PreparingConnection = pg.Connection & { submittedNamedStatements: Record<string, string> }
