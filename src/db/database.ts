import { Kysely } from 'kysely'
import type { Config } from '../config/config.ts'
import { listenForChanges, type ChangeListener } from './upkeep/change-listener.ts'
import { lockDirectory } from './embedded/directory-lock.ts'
import type { FreeSpaceOptions, SpaceFacts } from './embedded/free-space.ts'
import { openPostgres } from './server/postgres.ts'
import type { Tables } from './tables.ts'

export type Database = Kysely<Tables>

/** Database settings. Without `databaseUrl`, the embedded database in `dataDir` is used. */
type DatabaseSettings = Pick<
  Config,
  'databaseUrl' | 'dataDir' | 'databasePoolSize' | 'databasePreparedStatements'
>

type DatabaseLog = { warn(facts: { err: Error } | SpaceFacts, message: string): void }

export type OpenDatabase = {
  db: Database
  engine: 'embedded' | 'server'
  /** Calls `onChange` soon after an urgent change, instead of at the next poll (decision 0005). */
  listen(onChange: () => void): Promise<ChangeListener>
  /** Waits for statements in flight, then closes all files and connections. */
  close(): Promise<void>
}

/**
 * Opens the embedded database or a connection pool to a server.
 *
 * @param log receives a warning when the disk is full and for each lost connection, which the pool replaces
 * @param freeSpace overrides how free disk space is watched, for tests
 * @throws {Error} if another process holds the embedded database, or if it cannot be opened
 */
export async function openDatabase(
  settings: DatabaseSettings,
  log?: DatabaseLog,
  freeSpace: FreeSpaceOptions = {},
): Promise<OpenDatabase> {
  const { databaseUrl, dataDir, databasePoolSize, databasePreparedStatements } = settings
  if (databaseUrl) {
    const dialect = openPostgres({
      url: databaseUrl,
      poolSize: databasePoolSize,
      preparedStatements: databasePreparedStatements,
      onConnectionError: (err) => log?.warn({ err }, 'A connection to the database was lost'),
    })
    const db = new Kysely<Tables>({ dialect })
    const listen = async (onChange: () => void) => {
      // Behind a transaction pooler, notifications would go to a different session, or to none.
      if (!databasePreparedStatements) return { stop: async () => {} }
      return listenForChanges(databaseUrl, onChange, (err) =>
        log?.warn({ err }, 'Cannot listen for changes of other processes; relying on polling'),
      )
    }
    return { db, engine: 'server', listen, close: () => db.destroy() }
  }
  const lock = await lockDirectory(dataDir)
  try {
    // Loads WebAssembly, which a service with a database server does not need.
    const { openEmbedded } = await import('./embedded/embedded.ts')
    const embedded = await openEmbedded(dataDir, { log, ...freeSpace })
    const db = new Kysely<Tables>({ dialect: embedded.dialect })
    // Kysely does not destroy its driver if no query ran.
    const close = () =>
      embedded
        .stopWatching()
        .then(() => db.destroy())
        .finally(embedded.close)
        .finally(lock.release)
    const listen = async (onChange: () => void) => ({ stop: await embedded.listen(onChange) })
    return { db, engine: 'embedded', listen, close }
  } catch (error) {
    lock.release()
    throw error
  }
}
