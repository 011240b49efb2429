import { randomBytes } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'node:test'
import pg from 'pg'
import { closeIdle } from './idle-services.ts'
import { refuseSecondConnections } from './refuse-second-connections.ts'
import { removeFolder, scratchFolder } from './scratch-folder.ts'

/** Data directory of a test server. `remove` deletes it. */
export type TestDatabase = {
  databaseUrl: string | undefined
  dataDir: string
  remove(): Promise<void>
}

/**
 * Contents of a fresh database: a cluster without a schema, which saves an embedded database the seconds of `initdb`;
 * the schema alone; or the schema with the bundled sample. With `nothing`, an embedded database has no cluster either.
 */
export type Content = 'nothing' | 'cluster' | 'empty' | 'sample'

export const ENGINES = ['embedded', 'server'] as const
export type Engine = (typeof ENGINES)[number]

/** The faster engine, for tests whose result does not depend on the engine. */
export const DEFAULT_ENGINE: Engine = 'server'

/**
 * Runs the same tests on the embedded database and on a PostgreSQL server. Meant for code that depends on locks,
 * types, streams, messages or migrations, where the two differ. Deadlocks on the embedded database's single connection
 * are detected on both (`refuse-second-connections.ts`).
 */
export function describeOnEachDatabase(name: string, body: (engine: Engine) => void) {
  for (const engine of ENGINES) describe(`${name}, ${engine} database`, () => body(engine))
}

/** Whether this is `npm run test:all`. */
export const testsEveryEngine = () => process.env['MOKUROKU_TEST_DATABASES'] === 'all'

/** Runs tests that do not depend on the engine: on the default one, and on both with `npm run test:all`. */
export function describeOnDatabase(name: string, body: (engine: Engine) => void) {
  if (testsEveryEngine()) describeOnEachDatabase(name, body)
  else describe(`${name}, ${DEFAULT_ENGINE} database`, () => body(DEFAULT_ENGINE))
}

/** Reason to skip a test on the embedded database. In CI such a test must pass on the server database. */
export const ONE_CONNECTION = 'the embedded database has one connection'

/** Returns the reason to skip a test that needs several connections, or false on the server database. */
export const skipEmbedded = (engine: Engine) => engine === 'embedded' && ONE_CONNECTION

const databases = new Set<string>()

/** Data directories that tests in this process have created and not removed. */
export const leftoverDatabases = () => [...databases]

/**
 * Creates a database for one test, copied from a template of `test/run.ts`.
 *
 * @param where `disk` if the test depends on durability
 */
export async function createDatabase(
  engine: Engine,
  content: Content,
  where: 'memory' | 'disk' = 'memory',
): Promise<TestDatabase> {
  refuseSecondConnections()
  await closeIdle()
  const dataDir = scratchFolder('test', where)
  databases.add(dataDir)
  const removeData = () => {
    removeFolder(dataDir)
    databases.delete(dataDir)
  }
  if (engine === 'embedded') {
    if (content !== 'nothing')
      cpSync(join(runnerVariable('MOKUROKU_TEST_TEMPLATES'), content), dataDir, { recursive: true })
    return { databaseUrl: undefined, dataDir, remove: async () => removeData() }
  }
  const admin = runnerVariable('MOKUROKU_TEST_POSTGRES')
  const name = `mokuroku_test_${randomBytes(6).toString('hex')}`
  await createServerDatabase(
    admin,
    name,
    content === 'nothing' || content === 'cluster'
      ? undefined
      : `${runnerVariable('MOKUROKU_TEST_TEMPLATE_DATABASES')}_${content}`,
  )
  return {
    databaseUrl: databaseAt(admin, name),
    dataDir,
    async remove() {
      removeData()
      await dropServerDatabase(admin, name)
    },
  }
}

/**
 * Creates a database on the server.
 *
 * @param template another database, without open connections
 */
export const createServerDatabase = (admin: string, name: string, template?: string) =>
  // Copying files is three times as fast as writing the changes to the WAL.
  asAdmin(
    admin,
    `create database "${name}"${template === undefined ? '' : ` template "${template}" strategy file_copy`}`,
  )

export const dropServerDatabase = (admin: string, name: string) =>
  asAdmin(admin, `drop database if exists "${name}" with (force)`)

/** Returns the URL of another database on the same server. */
export function databaseAt(admin: string, name: string): string {
  const url = new URL(admin)
  url.pathname = `/${name}`
  return url.href
}

const admins = new Map<string, pg.Pool>()

export async function asAdmin(url: string, statement: string) {
  const admin = admins.get(url) ?? openAdmin(url)
  admins.set(url, admin)
  await admin.query(statement)
}

/** Connection that is reused, because opening one costs the server more than most statements. */
function openAdmin(url: string) {
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    idleTimeoutMillis: 20_000,
    allowExitOnIdle: true,
  })
  // Its server or database may go away while it is idle.
  return pool.on('error', () => {})
}

/** Returns an environment variable that `test/run.ts` sets. */
export function runnerVariable(name: string): string {
  const value = process.env[name]
  if (!value)
    throw new Error(
      'Run the tests with `npm test`, or `npm test -- FILE` for one file: it starts what they need.',
    )
  return value
}
