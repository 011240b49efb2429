import type pg from 'pg'
import { connectionOf } from './connection-of.ts'

/** Prefix of the names of clients' prepared statements. All others are the service's. */
export const SOCKET_STATEMENT = 'socket_'

type SessionLeftovers = { deallocations: string | null; own: number }

const COUNT_STATEMENTS = `
  select
    string_agg(format('deallocate %I', name), ';') filter (where from_sql) as deallocations,
    (count(*) filter (where not from_sql and not starts_with(name, '${SOCKET_STATEMENT}')))::integer as own
  from pg_prepared_statements`

/**
 * Undoes everything that a transaction can leave in the session, which the service and all clients share: settings, the
 * role, temporary tables, cursors, advisory locks, channels and statements of SQL's PREPARE.
 *
 * @param listen statement that listens to the service's channels, if any
 */
export async function restoreSession(client: pg.Client, listen = '') {
  const results: unknown = await client.query(
    [
      'set session authorization postgres; reset role; reset all; close all; discard temp; discard sequences',
      `select pg_advisory_unlock_all(); unlisten *; ${listen}`,
      COUNT_STATEMENTS,
    ].join(';'),
  )
  // as: pg returns an array for several statements, a case that its types omit
  const leftovers = (results as pg.QueryResult<SessionLeftovers>[]).at(-1)?.rows[0]
  if (leftovers?.deallocations) await client.query(leftovers.deallocations)
  const connection = connectionOf(client)
  if (leftovers?.own === Object.keys(connection.parsedStatements).length) return
  // A client dropped some of the service's prepared statements, so the service must prepare them again.
  await client.query('deallocate all')
  connection.parsedStatements = {}
}
