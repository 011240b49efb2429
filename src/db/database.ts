import { Kysely } from 'kysely'
import type { Config } from '../config/config.ts'
import { listenForChanges, type ChangeListener } from './upkeep/change-listener.ts'
import { lockDirectory } from './embedded/directory-lock.ts'
import type { FreeSpaceOptions, SpaceFacts } from './embedded/free-space.ts'
import { openPostgres } from './server/postgres.ts'
import type { Tables } from './tables.ts'

export type Database = Kysely<Tables>

/** Where the database is and how it is used. `databaseUrl` undefined: the embedded one in `dataDir`. */
type DatabaseSettings = Pick<
  Config,
  'databaseUrl' | 'dataDir' | 'databasePoolSize' | 'databasePreparedStatements'
>

type DatabaseLog = { warn(facts: { err: Error } | SpaceFacts, message: string): void }

export type OpenDatabase = {
  db: Database
  engine: 'embedded' | 'server'
  /** Has `onChange` called soon after a change that is not to wait for the next poll (decision 0005). */
  listen(onChange: () => void): Promise<ChangeListener>
  /** Waits for statements in flight, then lets go of files and connections. */
  close(): Promise<void>
}

/**
 * Opens the embedded database or a pool to a server.
 *
 * @param log gets a warning for each lost connection, which the pool replaces by itself, and when the disk is full
 * @param freeSpace how the room for the embedded database is watched; for tests
 * @throws {Error} when another process holds the embedded database, or it cannot be opened
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
      // Behind a pooler that mixes sessions another's would hear, or nobody's.
      if (!databasePreparedStatements) return { stop: async () => {} }
      return listenForChanges(databaseUrl, onChange, (err) =>
        log?.warn(
          { err },
          'Changes of other processes are heard of by the next poll alone for now',
        ),
      )
    }
    return { db, engine: 'server', listen, close: () => db.destroy() }
  }
  const lock = await lockDirectory(dataDir)
  try {
    // WebAssembly that a service with a server of its own does not load.
    const { openEmbedded } = await import('./embedded/embedded.ts')
    const embedded = await openEmbedded(dataDir, { log, ...freeSpace })
    const db = new Kysely<Tables>({ dialect: embedded.dialect })
    // Kysely destroys nothing when it was never asked anything.
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
