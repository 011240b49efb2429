import { Kysely } from 'kysely'
import type { Config } from '../config/config.ts'
import { listenForChanges, type ChangeListener } from './upkeep/change-listener.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  DirectoryLockedError,
  lockDirectory,
  type DirectoryLock,
} from './embedded/directory-lock.ts'
import type { FreeSpaceOptions } from './embedded/free-space.ts'
import type { SocketListener } from './embedded/socket/listen.ts'
import type { DatabaseObserver } from './observer.ts'
import { openPostgres } from './server/postgres.ts'
import type { Tables } from './tables.ts'

export type Database = Kysely<Tables>

/**
 * Database settings. Without `databaseUrl`, the embedded database in `dataDir` is used. By default, the pool has one
 * connection and statements are prepared.
 */
type DatabaseSettings = Pick<Config, 'dataDir'> &
  Partial<
    Pick<
      Config,
      'databaseUrl' | 'databaseDirectUrl' | 'databasePoolSize' | 'databasePreparedStatements'
    >
  >

type DatabaseLog = { warn(facts: object, message: string): void }

export type OpenDatabase = {
  db: Database
  engine: 'embedded' | 'server'
  /** Whether a running service has the embedded database open, and runs this process's statements. */
  isOfService: boolean
  /** Calls `onChange` soon after an urgent change, instead of at the next poll (decision 0005). */
  listen(onChange: () => void): Promise<ChangeListener>
  /** Lets commands in other processes use the embedded database. Only the process that has opened it can. */
  acceptCommands?: () => Promise<SocketListener>
  /** Whether statements are waiting for the only connection of the embedded database. */
  isBusy?: () => boolean
  /** Waits for statements in flight, then closes all files and connections. */
  close(): Promise<void>
}

/** Time, in milliseconds, that a command waits for a service that is starting, or for another command. */
const MAX_WAIT_MS = 5_000
const RETRY_MS = 100

const NOTIFICATIONS_UNDELIVERED =
  'The database delivers no notifications, because a connection pooler mixes sessions; relying on polling. ' +
  'Set DATABASE_DIRECT_URL to the database without the pooler'

export type OpenDatabaseOptions = FreeSpaceOptions & {
  observer?: DatabaseObserver | undefined
  /** True for a service, which opens the embedded database itself or fails. */
  isService?: boolean
  /** Application name of the sessions on a server. Defaults to that of a service. */
  application?: string
}

/**
 * Opens the embedded database or a connection pool to a server. Connects to the service that has the embedded database
 * open, if there is one.
 *
 * @param log receives a warning when the disk is full and for each lost connection, which the pool replaces
 * @param options also override how free disk space is watched, for tests
 * @throws {Error} if another process holds the embedded database, or if it cannot be opened
 */
export async function openDatabase(
  settings: DatabaseSettings,
  log?: DatabaseLog,
  options: OpenDatabaseOptions = {},
): Promise<OpenDatabase> {
  const { databaseUrl, dataDir } = settings
  if (databaseUrl) {
    const { db, close } = openPostgres({
      url: databaseUrl,
      application: options.application,
      poolSize: settings.databasePoolSize ?? 1,
      preparedStatements: settings.databasePreparedStatements ?? true,
      onConnectionError: (err) => log?.warn({ err }, 'A connection to the database was lost'),
      observer: options.observer,
    })
    const listen = async (onChange: () => void) =>
      listenForChanges(settings.databaseDirectUrl ?? databaseUrl, onChange, {
        onLost: (err) =>
          log?.warn(
            { err },
            'Cannot listen for changes made by other processes; relying on polling',
          ),
        onUndelivered: () => log?.warn({}, NOTIFICATIONS_UNDELIVERED),
      })
    return { db, engine: 'server', isOfService: false, listen, close }
  }
  const held = await lockOrConnect(dataDir, options.isService ? 0 : MAX_WAIT_MS, log)
  if ('dialect' in held) {
    const db = new Kysely<Tables>({ dialect: held.dialect })
    return {
      db,
      engine: 'embedded',
      isOfService: true,
      listen: async () => ({ stop: async () => {} }),
      close: () => db.destroy().finally(held.close),
    }
  }
  return openEmbeddedDatabase(dataDir, held, log, options)
}

/** Locks the data directory, or connects to the service that holds the lock. */
async function lockOrConnect(dataDir: string, maxWaitMs: number, log?: DatabaseLog) {
  for (const start = performance.now(); ; await sleep(RETRY_MS))
    try {
      return await lockDirectory(dataDir)
    } catch (error) {
      if (!(error instanceof DirectoryLockedError) || maxWaitMs === 0) throw error
      const { connectToService } = await import('./embedded/socket/connect.ts')
      const connected = await connectToService(dataDir, log)
      if (connected) return connected
      if (performance.now() - start > maxWaitMs)
        throw new Error(
          `Another mokuroku process is using the database in ${dataDir} and accepts no connections: another command, ` +
            'a service of an earlier version, or a service that could not create its socket (its log says why). ' +
            'Stop it first, or set DATABASE_URL to a PostgreSQL server, which several processes can share.',
          { cause: error },
        )
    }
}

async function openEmbeddedDatabase(
  dataDir: string,
  lock: DirectoryLock,
  log: DatabaseLog | undefined,
  { observer, ...options }: OpenDatabaseOptions,
): Promise<OpenDatabase> {
  try {
    // Loads WebAssembly, which a service with a database server does not need.
    const { openEmbedded } = await import('./embedded/embedded.ts')
    const embedded = await openEmbedded(dataDir, { log, ...options }, observer?.onPool, lock)
    const db = new Kysely<Tables>({ dialect: embedded.dialect, log: observer?.onStatement ?? [] })
    // Kysely does not destroy its driver if no query ran.
    const close = () =>
      embedded
        .stopWatching()
        .then(() => db.destroy())
        .finally(embedded.close)
        .finally(lock.release)
    const listen = async (onChange: () => void) => ({ stop: await embedded.listen(onChange) })
    const acceptCommands = () => embedded.acceptCommands({ log })
    const { isBusy } = embedded
    return { db, engine: 'embedded', isOfService: false, listen, acceptCommands, isBusy, close }
  } catch (error) {
    lock.release()
    throw error
  }
}
