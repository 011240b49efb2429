import type { Database } from './database.ts'

/** Runs the work in the current transaction if `db` is a transaction, and otherwise in a new one. */
export function inTransaction<Result>(
  db: Database,
  work: (trx: Database) => Promise<Result>,
): Promise<Result> {
  return db.isTransaction ? work(db) : db.transaction().execute(work)
}
