import type { Database } from '../../src/db/database.ts'
import { queryText } from '../../src/db/query.ts'
import { eventually } from './browser.ts'

/**
 * Resolves once the given number of database connections wait for a lock.
 *
 * @param trx the transaction that holds it
 */
export const waitForBlocked = (trx: Database, count: number): Promise<void> =>
  eventually(async () => (await countBlocked(trx)) >= count, `${count} that wait`)

/**
 * Returns the number of the database's connections that wait for a lock.
 *
 * @param trx the transaction that holds it
 * @param text part of the statements to count
 */
export async function countBlocked(trx: Database, text = ''): Promise<number> {
  // Within a transaction, statistics of other connections are a snapshot taken at first access.
  await queryText(trx, 'select pg_stat_clear_snapshot()', [])
  const waiting = await queryText(
    trx,
    `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and strpos(query, $1) > 0`,
    [text],
  )
  return waiting.length
}
