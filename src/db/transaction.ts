import type { Database } from './database.ts'

/** Runs the work in a transaction: the one `db` is, or else one of its own. */
export function inTransaction<Result>(
  db: Database,
  work: (trx: Database) => Promise<Result>,
): Promise<Result> {
  return db.isTransaction ? work(db) : db.transaction().execute(work)
}
