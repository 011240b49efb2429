import type { Database } from '../database.ts'

/** Runs reads on replicas, and on the primary if no replica can answer. */
export type ReplicatedReads = {
  executeQuery: Database['executeQuery']
  /**
   * Runs work in a transaction. If a replica fails, the work runs again on the primary, so it must have no other
   * effects.
   */
  inTransaction<Result>(work: (trx: Database) => Promise<Result>): Promise<Result>
}

/**
 * Database handle of queries that may run on a replica (decision 0038). A query that takes `Database` only ever runs on
 * the primary.
 */
export type Reads = Database | ReplicatedReads

/** Runs read-only work in a transaction. */
export const inReadTransaction = <Result>(
  reads: Reads,
  work: (trx: Database) => Promise<Result>,
): Promise<Result> =>
  'inTransaction' in reads ? reads.inTransaction(work) : reads.transaction().execute(work)
