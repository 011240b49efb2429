import { backUpBeforeMigration } from '../src/backup/scheduled-backups.ts'
import { readConfig, type Config } from '../src/config/config.ts'
import { ANY_SIZE, vacuumDue, type SizeBounds } from '../src/db/upkeep/autovacuum.ts'
import { openDatabase, type Database } from '../src/db/database.ts'
import { migrate, requireMigrated } from '../src/db/upkeep/migrate.ts'
import { watchLocks } from '../src/db/server/watch-locks.ts'
import { openLog } from '../src/operations/log/log.ts'
import { ownProgram } from './built.ts'

type Facts = {
  /** Names of the migrations that ran. */
  migrated: string[]
  isOfService: boolean
}

/** Runs `work` with the configured database and an up-to-date schema, then closes the database. */
export async function withDatabase<Result>(
  work: (db: Database, config: Config, facts: Facts) => Promise<Result>,
): Promise<Result> {
  const config = readConfig()
  const log = openLog(config.logLevel)
  const database = await openDatabase(config, log)
  const { db, isOfService, close } = database
  try {
    const onUpgrade = (name: string) =>
      backUpBeforeMigration({ config, database, log, program: ownProgram }, name)
    if (isOfService) await requireMigrated(db)
    const migrated = isOfService ? [] : await migrate(db, undefined, { log, onUpgrade })
    return await watchLocks(log, () => work(db, config, { migrated, isOfService }))
  } finally {
    await close()
  }
}

/**
 * Runs an import with the configured database. The embedded database has no autovacuum, so this vacuums it before and
 * after the import, unless a service is running, which does that itself.
 */
export const withDatabaseForImport = <Result>(
  work: (db: Database, config: Config) => Promise<Result>,
): Promise<Result> =>
  withDatabase(async (db, config, { isOfService }) => {
    if (config.databaseUrl !== undefined || isOfService) return work(db, config)
    // A failed vacuum must not fail the import: the next import or the service vacuums again.
    const vacuum = (bySize?: SizeBounds) => vacuumDue(db, { bySize }).catch(() => {})
    await vacuum(ANY_SIZE)
    try {
      return await work(db, config)
    } finally {
      await vacuum()
    }
  })
