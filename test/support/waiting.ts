import type { Database } from '../../src/db/database.ts'
import { queryText } from '../../src/db/query.ts'
import { eventually } from './browser.ts'

/**
 * Settles once so many of the database's connections wait for a lock.
 *
 * @param trx the transaction that holds it
 */
export async function waitForWaiting(trx: Database, amount: number): Promise<void> {
  const isSo = async () => {
    // Within a transaction what is seen of others stays as it was first seen.
    await queryText(trx, 'select pg_stat_clear_snapshot()', [])
    const waiting = await queryText(
      trx,
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      [],
    )
    return waiting.length >= amount
  }
  await eventually(isSo, `${amount} that wait`)
}
