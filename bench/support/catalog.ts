import { createApp } from '../../src/apps/queries.ts'
import { openDatabase } from '../../src/db/database.ts'
import { withDeadline } from '../../src/db/server/deadlines.ts'
import { migrate } from '../../src/db/upkeep/migrate.ts'
import { fillCatalog } from './fill-catalog.ts'

/** A filled database, and an app that may read it. */
export type Catalog = {
  /** URL of the database server. Undefined for the embedded database in `dataDir`. */
  databaseUrl: string | undefined
  dataDir: string
  works: number
  app: { clientId: string; secret: string }
}

/**
 * Fills an empty database.
 *
 * @param migrations folder with the migrations of another commit
 */
export async function makeCatalog(where: Omit<Catalog, 'app'>, migrations?: URL): Promise<Catalog> {
  const database = await openDatabase({
    ...where,
    databasePoolSize: 1,
    databasePreparedStatements: true,
  })
  const { db } = database
  try {
    await migrate(db, migrations)
    await withDeadline(Infinity, () => fillCatalog(db, where.works))
    const { app, secret = '' } = await createApp(db, {
      clientName: 'Bench',
      scopes: ['catalog:full'],
    })
    return { ...where, app: { clientId: app.client_id, secret } }
  } finally {
    await database.close()
  }
}
