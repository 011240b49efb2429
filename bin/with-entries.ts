import { EntryRefusedError } from '../src/curation/merge/entry-refusal.ts'
import { describeImport, findRunningImport } from '../src/curation/runs/import-lock.ts'
import type { Database } from '../src/db/database.ts'
import { Failure } from './failure.ts'
import { withDatabase } from './with-database.ts'

/** Runs a command that changes entries. Reports which import it waits for, and converts a refusal into a failure. */
export const withEntries = <Result>(work: (db: Database) => Promise<Result>): Promise<Result> =>
  failOnRefusal(
    withDatabase(async (db) => {
      const other = await findRunningImport(db)
      if (other) process.stderr.write(`Waiting: ${describeImport(other)} is running.\n`)
      return work(db)
    }),
  )

/** Converts a refusal about an entry into a failure for the person at the terminal. */
export const failOnRefusal = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error: unknown) => {
    throw error instanceof EntryRefusedError ? new Failure(error.message) : error
  })
