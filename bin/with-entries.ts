import type { Database } from '../src/db/database.ts'
import { describeImport, findRunningImport } from '../src/curation/runs/import-lock.ts'
import { withDatabase } from './with-database.ts'

/** Runs a command that changes entries, and reports which import it waits for. */
export const withEntries = <Result>(work: (db: Database) => Promise<Result>): Promise<Result> =>
  withDatabase(async (db) => {
    const other = await findRunningImport(db)
    if (other) process.stderr.write(`Waiting: ${describeImport(other)} is running.\n`)
    return work(db)
  })
