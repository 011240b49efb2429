import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { withDeadline } from './deadlines.ts'

/**
 * Runs a transaction whose statements may take longer than a request would wait, such as an import, a migration or a
 * cascading delete.
 *
 * @param milliseconds limit for each statement, and for the time between two statements; `Infinity` for no limit
 */
export function inLongTransaction<Result>(
  db: Database,
  milliseconds: number,
  work: (trx: Database) => Promise<Result>,
): Promise<Result> {
  return withDeadline(milliseconds, () =>
    db.transaction().execute(async (trx) => {
      const limit = sql.lit(milliseconds === Infinity ? 0 : milliseconds)
      await sql`set local statement_timeout = ${limit}`.execute(trx)
      await sql`set local idle_in_transaction_session_timeout = ${limit}`.execute(trx)
      return work(trx)
    }),
  )
}

/**
 * Runs one statement without a time limit and outside a transaction, as `vacuum` requires. Behind a pooler, the timeout
 * of the database role applies.
 */
export function runLongStatement(db: Database, statement: string): Promise<unknown> {
  const run = () => sql.raw(statement).execute(db)
  return db.isTransaction ? run() : withDeadline(Infinity, run)
}
