import { readConfig, type Config } from '../src/config/config.ts'
import { ANY_SIZE, vacuumDue, type Uncounted } from '../src/db/upkeep/autovacuum.ts'
import { openDatabase, type Database } from '../src/db/database.ts'
import { migrate } from '../src/db/upkeep/migrate.ts'
import { watchLocks } from '../src/db/server/watch-locks.ts'
import { openLog } from '../src/operations/log.ts'

/**
 * Runs `work` with the configured database and an up-to-date schema, then closes the database.
 *
 * @param work receives the names of the migrations that ran as `migrated`
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
 * Runs an import with the configured database. The embedded database has no autovacuum, so this vacuums it before and
 * after the import.
 */
export const withDatabaseForImport = <Result>(
  work: (db: Database, config: Config) => Promise<Result>,
): Promise<Result> =>
  withDatabase(async (db, config) => {
    if (config.databaseUrl !== undefined) return work(db, config)
    // A failed vacuum must not fail the import: the next import or the service vacuums again.
    const vacuum = (uncounted?: Uncounted) => vacuumDue(db, { uncounted }).catch(() => {})
    await vacuum(ANY_SIZE)
    try {
      return await work(db, config)
    } finally {
      await vacuum()
    }
  })
