import { readConfig, type Config } from '../src/config/config.ts'
import { ANY_SIZE, vacuumDue, type Uncounted } from '../src/db/upkeep/autovacuum.ts'
import { openDatabase, type Database } from '../src/db/database.ts'
import { migrate } from '../src/db/upkeep/migrate.ts'
import { watchLocks } from '../src/db/server/watch-locks.ts'
import { openLog } from '../src/operations/log.ts'

/**
 * Lends a command the configured database, its schema up to date, and closes it whatever happens.
 *
 * @param work `migrated`: names of the migrations that ran for it
 */
export async function withDatabase<Result>(
  work: (db: Database, config: Config, migrated: string[]) => Promise<Result>,
): Promise<Result> {
  const config = readConfig()
  const log = openLog(config.logLevel)
  const { db, close } = await openDatabase(config, log)
  try {
    const migrated = await migrate(db, undefined, { log })
    return await watchLocks(log, () => work(db, config, migrated))
  } finally {
    await close()
  }
}

/**
 * Lends an import the configured database. The embedded one has no autovacuum, so the import reuses the space of rows that
 * earlier ones deleted, and frees its own.
 */
export const withDatabaseForImport = <Result>(
  work: (db: Database, config: Config) => Promise<Result>,
): Promise<Result> =>
  withDatabase(async (db, config) => {
    if (config.databaseUrl !== undefined) return work(db, config)
    // Must not fail the import: the next one, or the service, tries again.
    const vacuum = (uncounted?: Uncounted) => vacuumDue(db, { uncounted }).catch(() => {})
    await vacuum(ANY_SIZE)
    try {
      return await work(db, config)
    } finally {
      await vacuum()
    }
  })
