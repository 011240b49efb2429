import type { Database } from './database.ts'

/** Runs the work in a transaction: in `db` when that is one already, else in a new one. */
export function inTransaction<Result>(
  db: Database,
  work: (trx: Database) => Promise<Result>,
): Promise<Result> {
  return db.isTransaction ? work(db) : db.transaction().execute(work)
}
