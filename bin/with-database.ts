import { readConfig, type Config } from '../src/config/config.ts'
import type { Database } from '../src/db/database.ts'
import { migrate } from '../src/db/migrate.ts'
import { openLog } from '../src/operations/log.ts'
import { openConfiguredDatabase } from '../src/configured-database.ts'

/** Lends a command the configured database, its schema up to date, and closes it whatever happens. */
export async function withDatabase<Result>(
  work: (db: Database, config: Config) => Promise<Result>,
): Promise<Result> {
  const config = readConfig()
  const { db, close } = await openConfiguredDatabase(config, openLog(config.logLevel))
  try {
    await migrate(db)
    return await work(db, config)
  } finally {
    await close()
  }
}
