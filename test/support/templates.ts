import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { followChanges } from '../../src/browse/listings/follow-queries.ts'
import { findSnapshotOfDue, numberChanges } from '../../src/catalog/changes/sequencer-queries.ts'
import { openDatabase, type Database } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { importSource } from '../../src/importers/import-source.ts'
import { READERS, SAMPLE_FOLDERS } from '../../src/importers/sources.ts'
import { createServerDatabase, databaseAt, dropServerDatabase } from './databases.ts'
import { removeFolder, scratchFolder } from './scratch.ts'

/** Databases that tests copy theirs from: what that costs is paid once a run. */
type Templates = {
  /** What `createDatabase` has to know, for the environment of the tests. */
  environment: Record<string, string>
  remove(): Promise<void>
}

/** Makes what `Content` lists, embedded and on the server. */
export async function makeTemplates(admin: string): Promise<Templates> {
  const folder = scratchFolder('templates')
  const prefix = `mokuroku_template_${process.pid}`
  const [empty, sample] = [`${prefix}_empty`, `${prefix}_sample`]
  const remove = async () => {
    removeFolder(folder)
    for (const name of [empty, sample]) await dropServerDatabase(admin, name).catch(() => {})
  }
  const makeEmbedded = async () => {
    await fill({ dataDir: join(folder, 'cluster') }, async () => {})
    cpSync(join(folder, 'cluster'), join(folder, 'empty'), { recursive: true })
    await fill({ dataDir: join(folder, 'empty') }, migrate)
    cpSync(join(folder, 'empty'), join(folder, 'sample'), { recursive: true })
    await fill({ dataDir: join(folder, 'sample') }, importSample)
  }
  const makeOnServer = async () => {
    await createServerDatabase(admin, empty)
    await fill({ databaseUrl: patient(databaseAt(admin, empty)) }, migrate)
    await createServerDatabase(admin, sample, empty)
    await fill({ databaseUrl: patient(databaseAt(admin, sample)) }, importSample)
  }
  try {
    await Promise.all([makeEmbedded(), makeOnServer()])
  } catch (error) {
    await remove()
    throw error
  }
  return {
    environment: {
      MOKUROKU_TEST_POSTGRES: admin,
      MOKUROKU_TEST_TEMPLATES: folder,
      MOKUROKU_TEST_TEMPLATE_DATABASES: prefix,
    },
    remove,
  }
}

/** The embedded database is made in this very process meanwhile, and its event loop stands still for seconds. */
function patient(databaseUrl: string) {
  const url = new URL(databaseUrl)
  url.searchParams.set('idle_in_transaction_session_timeout', '0')
  return url.href
}

async function fill(
  { databaseUrl, dataDir = '' }: { databaseUrl?: string; dataDir?: string },
  write: (db: Database) => Promise<unknown>,
) {
  const { db, close } = await openDatabase({
    databaseUrl,
    dataDir,
    databasePoolSize: 1,
    databasePreparedStatements: true,
  })
  try {
    await write(db)
  } finally {
    await close()
  }
}

async function importSample(db: Database) {
  for (const { source, folder } of SAMPLE_FOLDERS)
    await importSource(db, source, (report) => READERS[source](fileURLToPath(folder), report))
  // What every service of the tests would do behind its first requests.
  for (;;) {
    const snapshot = await findSnapshotOfDue(db)
    if (snapshot === undefined) break
    await numberChanges(db, snapshot)
  }
  while ((await followChanges(db)) > 0);
}
