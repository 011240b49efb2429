import { createHash } from 'node:crypto'
import { PostgresDialect } from 'kysely'
import pg from 'pg'
import { TYPE_PARSERS } from './type-parsers.ts'

/** Distinct statements that get a name; others are parsed each time, so that the server's memory is bounded. */
const MAX_PREPARED = 500

export type PostgresOptions = {
  url: string
  poolSize: number
  /** Off behind a pooler that mixes sessions (PgBouncer before 1.21). */
  preparedStatements: boolean
  onConnectionError: (error: Error) => void
}

/** A PostgreSQL server through a pool of connections. */
export function openPostgres({ url, poolSize, preparedStatements, onConnectionError }: PostgresOptions) {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    statement_timeout: 30_000,
    application_name: 'mokuroku',
    types: { getTypeParser: parserOf },
    ...(preparedStatements && { Client: preparingClient() }),
  })
  // Without a listener on both, the loss of a connection would end the process: the pool hears of idle ones only.
  pool.on('connect', (client) => client.on('error', onConnectionError))
  pool.on('error', () => {})
  return new PostgresDialect({ pool })
}

const parserOf: typeof pg.types.getTypeParser = (oid, format) =>
  (format === 'binary' ? undefined : TYPE_PARSERS[oid]) ?? pg.types.getTypeParser(oid, format)

/**
 * Makes the clients of one pool, which name every statement that has parameters by its text, so that PostgreSQL parses and
 * plans it once a connection. It makes a one-row read 2.4 times as fast (docs/performance.md).
 */
function preparingClient(): typeof pg.Client {
  const names = new Map<string, string>()

  function nameOf(text: string) {
    const known = names.get(text)
    if (known || names.size >= MAX_PREPARED) return known
    const name = createHash('sha1').update(text).digest('base64url')
    names.set(text, name)
    return name
  }

  return class PreparingClient extends pg.Client {
    // as: pg.Client.query is an overload of ten forms; Kysely uses (text, values)
    override query = ((text: unknown, values?: unknown[], ...rest: unknown[]) => {
      const name = typeof text === 'string' && values?.length ? nameOf(text) : undefined
      const query = super.query.bind(this) as (...args: unknown[]) => unknown
      return name ? query({ name, text, values }, ...rest) : query(text, values, ...rest)
    }) as pg.Client['query']
  }
}
