import { Kysely } from 'kysely'
import pg from 'pg'
import { databaseHosts } from '../../config/database-hosts.ts'
import type { DatabaseObserver } from '../observer.ts'
import type { Tables } from '../tables.ts'
import { clientClass, type PoolClient } from './deadline-client.ts'
import { STATEMENT_DEADLINE_MS, withDeadline } from './deadlines.ts'
import { destroyConnection } from './destroy-connection.ts'
import { primaryFinder } from './primary-finder.ts'
import { ServerDialect } from './server-dialect.ts'
import { VIA_POOLER } from './session.ts'
import { parserOf } from './type-parsers.ts'

/** Time, in milliseconds, after which TCP probes a silent connection. The system's default is two hours. */
const KEEP_ALIVE_MS = 10_000

export type PostgresOptions = {
  url: string
  /** Application name of the sessions. Defaults to that of a service. */
  application?: string | undefined
  poolSize: number
  /** Must be disabled behind a transaction pooler without prepared statements (PgBouncer before 1.21). */
  preparedStatements: boolean
  /** Whether the sessions are read-only by default, so that nothing is written to a replica that has been promoted. */
  rejectsWrites?: boolean
  onConnectionError: (error: Error) => void
  observer?: Partial<DatabaseObserver> | undefined
}

/** Opens a connection pool to a PostgreSQL server. `close` ends the pool and the connections that watch its hosts. */
export function openPostgres({
  url,
  application = 'mokuroku',
  poolSize,
  preparedStatements,
  rejectsWrites = false,
  onConnectionError,
  observer,
}: PostgresOptions): { db: Kysely<Tables>; close(): Promise<void> } {
  const open = new Set<PoolClient>()
  const idle = new Set<pg.PoolClient>()
  /** Closes connections to all hosts but the primary. Their statements fail. */
  const closeOtherHosts = (primary: string) => {
    for (const client of open)
      if (client.hostUrl !== primary) destroyConnection(client, new FormerPrimaryError())
  }
  const finder = primaryFinder(url, closeOtherHosts)
  /**
   * Closes idle connections. If one connection is dead, the idle ones are probably dead too, and waiting for each of
   * them to time out would take long.
   */
  const closeIdle = () => {
    for (const client of idle) destroyConnection(client)
  }
  const pool = new pg.Pool({
    connectionString: databaseHosts(url).urls[0],
    max: poolSize,
    connectionTimeoutMillis: STATEMENT_DEADLINE_MS,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: application + VIA_POOLER,
    types: { getTypeParser: parserOf },
    // Sets a separate deadline, because the pool opens the connection in the async context of the request that made
    // room for it, not of the one that is waiting.
    onConnect: (client) =>
      withDeadline(STATEMENT_DEADLINE_MS, async () => {
        await asPoolClient(client).beginSession()
        if (rejectsWrites) await client.query('set default_transaction_read_only = on')
      }),
    Client: clientClass({
      url,
      application,
      preparedStatements,
      finder,
      onDeadlineMissed: closeIdle,
    }),
  })
  // Without both listeners, a lost connection would end the process, because the pool only reports errors of idle
  // connections.
  pool.on('connect', (client) => {
    client.on('error', onConnectionError)
    open.add(asPoolClient(client))
  })
  pool.on('error', () => {})
  pool.on('acquire', (client) => idle.delete(client))
  pool.on('release', (_error, client) => idle.add(client))
  pool.on('remove', (client) => {
    idle.delete(client)
    open.delete(asPoolClient(client))
  })
  observer?.onPool?.(pool)
  const db = new Kysely<Tables>({
    dialect: new ServerDialect({ pool }),
    log: observer?.onStatement ?? [],
  })
  return {
    db,
    // Until its statements have ended, the pool must notice a new primary.
    close: () => db.destroy().finally(finder.close),
  }
}

// as: the pool creates only clients of this class
const asPoolClient = (client: pg.ClientBase) => client as PoolClient

/** Error of a statement during which another host became the primary. The statement may still have been committed. */
class FormerPrimaryError extends Error {
  override name = 'FormerPrimaryError'
  readonly code = '25006'

  constructor() {
    super('Another host of the database has become the primary')
  }
}
