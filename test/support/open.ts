import { openDatabase, type Database, type OpenDatabase } from '../../src/db/database.ts'
import { createDatabase, type Content, type Engine, type TestDatabase } from './databases.ts'

/** A database of the test's own, opened. */
export type OpenTestDatabase = {
  db: Database
  place: TestDatabase
  /** As the service listens for changes. */
  listen: OpenDatabase['listen']
  /** A second pool of connections, as another process has one; only with a server. */
  again(): Promise<{ db: Database; close(): Promise<void> }>
  /** Closes it and throws it away. */
  remove(): Promise<void>
}

export async function openTestDatabase(
  engine: Engine,
  content: Content = 'sample',
): Promise<OpenTestDatabase> {
  const place = await createDatabase(engine, content)
  const open = () =>
    openDatabase({ ...place, databasePoolSize: 5, databasePreparedStatements: true })
  const { db, listen, close } = await open()
  return {
    db,
    listen,
    place,
    again: open,
    async remove() {
      await close()
      await place.remove()
    },
  }
}

/** Opens a database for a moment: while a process is at an embedded one, no other can be. */
export async function withTestDatabase<Result>(
  place: TestDatabase,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  const { db, close } = await openDatabase({
    ...place,
    databasePoolSize: 1,
    databasePreparedStatements: true,
  })
  return work(db).finally(close)
}
