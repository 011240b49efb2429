import { randomBytes } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'node:test'
import pg from 'pg'
import { closeIdle } from './idle-services.ts'
import { refuseSecondConnections } from './one-connection.ts'
import { removeFolder, scratchFolder } from './scratch.ts'

/** Where a test's server keeps its data; `remove` throws it all away. */
export type TestDatabase = {
  databaseUrl: string | undefined
  dataDir: string
  remove(): Promise<void>
}

/**
 * What a fresh database holds: a cluster without a schema, which saves an embedded one the seconds of `initdb`; the
 * schema alone; or the schema with the bundled sample. With `nothing` an embedded one has not even its cluster.
 */
export type Content = 'nothing' | 'cluster' | 'empty' | 'sample'

const ENGINES = ['embedded', 'server'] as const
export type Engine = (typeof ENGINES)[number]

/** The faster one: where tests run that would say the same on either. */
export const USUAL_ENGINE: Engine = 'server'

/**
 * Runs the same tests on the embedded database and on a PostgreSQL server: for what depends on locks, types, streams,
 * messages or migrations, where the two differ. What hangs on the one connection of the embedded database is seen on
 * either (`one-connection.ts`).
 */
export function onEachDatabase(name: string, body: (engine: Engine) => void) {
  for (const engine of ENGINES) describe(`${name}, ${engine} database`, () => body(engine))
}

/** Whether this is `npm run test:all`. */
export const testsAll = () => process.env['MOKUROKU_TEST_DATABASES'] === 'all'

/** Runs the tests on the usual database, and on both with `npm run test:all`: for what only stands above the database. */
export function onOneDatabase(name: string, body: (engine: Engine) => void) {
  if (testsAll()) onEachDatabase(name, body)
  else describe(`${name}, ${USUAL_ENGINE} database`, () => body(USUAL_ENGINE))
}

/** Why a test of several transactions at once is not there for that database; `test/run.ts` lists those tests. */
export const needsConnections = (engine: Engine) =>
  engine === 'embedded' && 'the embedded database has one connection'

const databases = new Set<string>()

/** Where those have their data that tests of this process have made and not removed. */
export const databasesLeft = () => [...databases]

/**
 * A database of the test's own, copied from a template of `test/run.ts`.
 *
 * @param where `disk` when the test is about what survives there
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
      cpSync(join(fromRunner('MOKUROKU_TEST_TEMPLATES'), content), dataDir, { recursive: true })
    return { databaseUrl: undefined, dataDir, remove: async () => removeData() }
  }
  const admin = fromRunner('MOKUROKU_TEST_POSTGRES')
  const name = `mokuroku_test_${randomBytes(6).toString('hex')}`
  await createServerDatabase(
    admin,
    name,
    content === 'nothing' || content === 'cluster'
      ? undefined
      : `${fromRunner('MOKUROKU_TEST_TEMPLATE_DATABASES')}_${content}`,
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

/** @param template another database, to which nobody is connected */
export const createServerDatabase = (admin: string, name: string, template?: string) =>
  // Files are copied three times as fast as the log of that would be written.
  asAdmin(
    admin,
    `create database "${name}"${template === undefined ? '' : ` template "${template}" strategy file_copy`}`,
  )

export const dropServerDatabase = (admin: string, name: string) =>
  asAdmin(admin, `drop database if exists "${name}" with (force)`)

/** The address of another database of the same server. */
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

/** A connection that is kept for a while: to open one costs the server more than most of what it is told to do. */
function openAdmin(url: string) {
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    idleTimeoutMillis: 20_000,
    allowExitOnIdle: true,
  })
  // Its server may end, or its database, while it is told nothing.
  return pool.on('error', () => {})
}

/** What `test/run.ts` has started, by the name of its variable. */
export function fromRunner(name: string): string {
  const value = process.env[name]
  if (!value)
    throw new Error(
      'Run the tests with `npm test`, or `npm test -- FILE` for one file: it starts what they need.',
    )
  return value
}
