import type { Database } from '../src/db/database.ts'
import { describeImport, findRunningImport } from '../src/curation/runs/import-lock.ts'
import { withDatabase } from './with-database.ts'

/** Lends a command that changes entries the database, and says which import it waits for. */
export const withEntries = <Result>(work: (db: Database) => Promise<Result>): Promise<Result> =>
  withDatabase(async (db) => {
    const other = await findRunningImport(db)
    if (other) process.stderr.write(`Waiting: ${describeImport(other)} is running.\n`)
    return work(db)
  })
