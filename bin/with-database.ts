import { backUpBeforeMigration } from '../src/backup/scheduled-backups.ts'
import { readConfig, type Config } from '../src/config/config.ts'
import { ANY_SIZE, vacuumDue, type Uncounted } from '../src/db/upkeep/autovacuum.ts'
import { openDatabase, type Database } from '../src/db/database.ts'
import { migrate } from '../src/db/upkeep/migrate.ts'
import { watchLocks } from '../src/db/server/watch-locks.ts'
import { openLog } from '../src/operations/log.ts'
import { ownProgram } from './built.ts'

/**
 * Runs `work` with the configured database and an up-to-date schema, then closes the database.
 *
 * @param work `migrated`: names of the migrations that ran
 */
export async function withDatabase<Result>(
  work: (db: Database, config: Config, migrated: string[]) => Promise<Result>,
): Promise<Result> {
  const config = readConfig()
  const log = openLog(config.logLevel)
  const database = await openDatabase(config, log)
  const { db, close } = database
  try {
    const onUpgrade = (name: string) =>
      backUpBeforeMigration({ config, database, log, program: ownProgram }, name)
    const migrated = await migrate(db, undefined, { log, onUpgrade })
    return await watchLocks(log, () => work(db, config, migrated))
  } finally {
    await close()
  }
}

/**
 * Runs an import with the configured database. The embedded database has no autovacuum, so it is vacuumed before and
 * after the import.
 */
export const withDatabaseForImport = <Result>(
  work: (db: Database, config: Config) => Promise<Result>,
): Promise<Result> =>
  withDatabase(async (db, config) => {
    if (config.databaseUrl !== undefined) return work(db, config)
    // A failed vacuum must not fail the import: the next import, or the service, tries again.
    const vacuum = (uncounted?: Uncounted) => vacuumDue(db, { uncounted }).catch(() => {})
    await vacuum(ANY_SIZE)
    try {
      return await work(db, config)
    } finally {
      await vacuum()
    }
  })
