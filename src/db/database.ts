import { Kysely } from 'kysely'
import { lockDirectory } from './directory-lock.ts'
import { openEmbedded } from './embedded.ts'
import { openPostgres } from './postgres.ts'
import type { Tables } from './tables.ts'

export type Database = Kysely<Tables>

export type DatabaseOptions = {
  /** A PostgreSQL server's address; without it the embedded database in `dataDir` is used. */
  databaseUrl: string | undefined
  dataDir: string
  poolSize: number
  preparedStatements: boolean
  onConnectionError?: (error: Error) => void
}

export type OpenDatabase = {
  db: Database
  engine: 'embedded' | 'server'
  /** Waits for statements in flight, then lets go of files and connections. */
  close(): Promise<void>
}

/**
 * Opens the embedded database or a pool to a server.
 *
 * @throws {Error} when another process holds the embedded database, or it cannot be opened
 */
export async function openDatabase(options: DatabaseOptions): Promise<OpenDatabase> {
  const { databaseUrl, dataDir, poolSize, preparedStatements, onConnectionError = () => {} } = options
  if (databaseUrl) {
    const dialect = openPostgres({ url: databaseUrl, poolSize, preparedStatements, onConnectionError })
    const db = new Kysely<Tables>({ dialect })
    return { db, engine: 'server', close: () => db.destroy() }
  }
  const lock = lockDirectory(dataDir)
  try {
    const embedded = await openEmbedded(dataDir)
    const db = new Kysely<Tables>({ dialect: embedded.dialect })
    // Kysely destroys nothing when it was never asked anything.
    const close = () => db.destroy().finally(embedded.close).finally(lock.release)
    return { db, engine: 'embedded', close }
  } catch (error) {
    lock.release()
    throw error
  }
}
