import { createApp } from '../../src/apps/queries.ts'
import { openDatabase, type Database } from '../../src/db/database.ts'
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
export const makeCatalog = (where: Omit<Catalog, 'app'>, migrations?: URL): Promise<Catalog> =>
  onCatalog(where, async (db) => {
    await migrate(db, migrations)
    await fillCatalog(db, where.works)
    return { ...where, app: await makeApp(db, { scopes: ['catalog:full', 'catalog:sync'] }) }
  })

/** Opens a database for a function, whose statements have no time limit. */
export async function onCatalog<Result>(
  where: Pick<Catalog, 'databaseUrl' | 'dataDir'>,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  const { db, close } = await openDatabase(where)
  return withDeadline(Infinity, () => work(db)).finally(close)
}

export async function makeApp(
  db: Database,
  app: Omit<Parameters<typeof createApp>[1], 'clientName'>,
): Promise<Catalog['app']> {
  const { app: created, secret = '' } = await createApp(db, { clientName: 'Bench', ...app })
  return { clientId: created.client_id, secret }
}
