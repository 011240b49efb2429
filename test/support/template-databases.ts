import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { clusterOf, imageFile, unpackCluster } from '../../src/db/embedded/cluster.ts'
import { openDatabase, type Database } from '../../src/db/database.ts'
import { migrate } from '../../src/db/upkeep/migrate.ts'
import { ensureSigningKeys } from '../../src/identity/tokens/keys.ts'
import { followSample, loadSample } from '../../src/sample.ts'
import { createServerDatabase, databaseAt, dropServerDatabase } from './databases.ts'
import { removeFolder, scratchFolder } from './scratch-folder.ts'

/** Creates the databases that tests copy, once per run. */
type Templates = {
  /** Environment variables that `createDatabase` needs. */
  environment: Record<string, string>
  remove(): Promise<void>
}

/** Creates a template for each `Content`, embedded and on the server. */
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
    await makeEmbeddedSample(join(folder, 'sample'))
  }
  const makeOnServer = async () => {
    await createServerDatabase(admin, empty)
    await fill({ databaseUrl: withoutTimeouts(databaseAt(admin, empty)) }, migrate)
    await createServerDatabase(admin, sample, empty)
    await fillWithSample(databaseAt(admin, sample))
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

/** Creates an embedded database with the sample. */
export async function makeEmbeddedSample(dataDir: string) {
  mkdirSync(clusterOf(dataDir), { recursive: true })
  await unpackCluster(imageFile('sample'), clusterOf(dataDir))
  await fill({ dataDir }, async (db) => {
    // Tests of the sample expect no demo.
    await db.deleteFrom('installation').execute()
    await ensureSigningKeys(db, undefined)
  })
}

/** Disables the idle timeout, because creating the embedded database blocks the event loop for seconds. */
function withoutTimeouts(databaseUrl: string) {
  const url = new URL(databaseUrl)
  url.searchParams.set('idle_in_transaction_session_timeout', '0')
  return url.href
}

async function fill(
  { databaseUrl, dataDir = '' }: { databaseUrl?: string; dataDir?: string },
  write: (db: Database) => Promise<unknown>,
) {
  const { db, close } = await openDatabase({ databaseUrl, dataDir })
  try {
    await write(db)
  } finally {
    await close()
  }
}

/**
 * Brings the schema of a database up to date and loads the sample. Does once, in the template, the work that every test
 * service would otherwise repeat at startup and after its first requests.
 */
export const fillWithSample = (databaseUrl: string) =>
  fill({ databaseUrl: withoutTimeouts(databaseUrl) }, async (db) => {
    await migrate(db)
    await ensureSigningKeys(db, undefined)
    await loadSample(db)
    await followSample(db)
  })
