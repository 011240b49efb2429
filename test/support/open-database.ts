import { openDatabase, type Database, type OpenDatabase } from '../../src/db/database.ts'
import { createDatabase, type Content, type Engine, type TestDatabase } from './databases.ts'

/** An open database for one test. */
export type OpenTestDatabase = {
  db: Database
  place: TestDatabase
  /** Listens for changes, like the service. */
  listen: OpenDatabase['listen']
  /** A second connection pool, like that of another process. Only with a server. */
  reconnect(): Promise<{ db: Database; close(): Promise<void> }>
  /** Closes and deletes it. */
  remove(): Promise<void>
}

export async function openTestDatabase(
  engine: Engine,
  content: Content = 'sample',
): Promise<OpenTestDatabase> {
  const database = await createDatabase(engine, content)
  const open = () => openDatabase({ ...database, databasePoolSize: 5 })
  const { db, listen, close } = await open()
  return {
    db,
    listen,
    place: database,
    reconnect: open,
    async remove() {
      await close()
      await database.remove()
    },
  }
}

/** Opens a database briefly. While it is open, no other process can open an embedded one. */
export async function withTestDatabase<Result>(
  database: TestDatabase,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  const { db, close } = await openDatabase(database)
  return work(db).finally(close)
}
