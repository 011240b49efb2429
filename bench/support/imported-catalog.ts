import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Database } from '../../src/db/database.ts'
import { migrate } from '../../src/db/upkeep/migrate.ts'
import { importSource } from '../../src/curation/import-source.ts'
import { openSource } from '../../src/curation/sources.ts'
import { writeBangumiDump } from './dumps/bangumi.ts'
import { fillUsers } from './fill-users.ts'
import { settleCatalog } from './settle-catalog.ts'
import { findSubjects, type Subjects } from './subjects.ts'
import { onCatalog, type Catalog } from './catalog.ts'
import type { Stage } from './stage.ts'

/** An imported catalog with users, and the subjects to request. */
export type ImportedCatalog = { catalog: Catalog; subjects: Subjects }

/** Creates a database with the given number of works from a generated Bangumi dump. */
export async function importCatalog(stage: Stage, works: number): Promise<ImportedCatalog> {
  const where = await stage.emptyOnServer(`imported_${works}`)
  const folder = join(stage.folder, `dump-${works}`)
  await writeBangumiDump(folder, { works })
  return prepare(stage, where, async (db) => {
    const { records, close } = await openSource('bangumi', folder)
    await importSource(db, 'bangumi', records).finally(close)
    await rm(folder, { recursive: true })
  })
}

/** Opens a database with such a catalog, and creates users unless it has some. */
export const openCatalog = (stage: Stage, databaseUrl: string): Promise<ImportedCatalog> =>
  prepare(stage, { databaseUrl, dataDir: stage.folder }, async () => {})

async function prepare(
  stage: Stage,
  where: { databaseUrl: string; dataDir: string },
  fill: (db: Database) => Promise<void>,
): Promise<ImportedCatalog> {
  const { app, works, ...subjects } = await onCatalog(where, async (db) => {
    await migrate(db, stage.migrations)
    await sql`set statement_timeout = 0`.execute(db)
    await fill(db)
    const { rows } = await sql`select from ratings limit 1`.execute(db)
    if (rows.length === 0) await fillUsers(db)
    await settleCatalog(db)
    return findSubjects(db)
  })
  return { catalog: { ...where, works, app }, subjects }
}
