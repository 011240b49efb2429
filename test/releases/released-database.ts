import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { queryText } from '../../src/db/query.ts'
import { listAllTables, sumRows } from '../../src/backup/dump-queries.ts'
import type { Database } from '../../src/db/database.ts'
import { createDatabase, type Engine, type TestDatabase } from '#test/databases.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { CHECKOUT, temporaryFolder } from '#test/program.ts'
import { fixtureFile, loadFixture, readReleased, type Fixture } from './fixture.ts'

/** Lists the released versions of the changelog, oldest first. */
export const releasedVersions = () =>
  [...readFileSync(join(CHECKOUT, 'CHANGELOG.md'), 'utf8').matchAll(/^## (\d\S*) - \d{4}-/gm)]
    .flatMap(([, version = '']) => version)
    .toReversed()

export const readLatestFixture = () => readReleased(fixtureFile(releasedVersions().at(-1) ?? ''))

/** Creates a database as a released version left it. */
export async function createReleasedDatabase(
  engine: Engine,
  fixture: Fixture,
): Promise<TestDatabase> {
  const database = await createDatabase(engine, 'cluster')
  await withTestDatabase(database, (db) => loadFixture(db, fixture))
  return database
}

/** Settings of a service or command on a released database. */
export const settingsOf = (
  { databaseUrl, dataDir }: TestDatabase,
  { access }: Fixture,
): NodeJS.ProcessEnv => ({
  DATABASE_URL: databaseUrl,
  DATA_DIR: dataDir,
  SECRET_KEY: access.secret_key,
  AUTH_URL: access.auth_url,
})

/** Tables whose rows a migration changes on purpose, with the reason. */
export const CHANGED_ROWS: Record<string, string> = {
  installation: 'the time of the backup before the upgrade',
  change_signals: 'one row for each new topic',
  search_readers_due: 'entries whose popularity the search index reads again',
}

/**
 * Counts the rows of all tables of the released version and sums their hashes. Leaves out columns and tables that a
 * migration has dropped, which `findDropped` lists, and the table of migrations.
 */
export const sumReleased = (database: TestDatabase, { tables }: Fixture) =>
  withTestDatabase(database, async (db) => {
    await queryText(
      db,
      `select set_config('timezone', 'UTC', false), set_config('bytea_output', 'hex', false)`,
      [],
    )
    const present = await listColumns(db)
    const sums: Record<string, unknown> = {}
    for (const { name, columns } of tables) {
      const left = columns.filter((column) => present.has(`${name}.${column}`))
      if (name !== 'migrations' && left.length > 0)
        sums[name] = await sumRows(db, { name, columns: left })
    }
    return sums
  })

/** Lists columns of the released version that the migrations have dropped since. */
export const findDropped = (database: TestDatabase, { tables }: Fixture) =>
  withTestDatabase(database, async (db) => {
    const present = await listColumns(db)
    return tables
      .flatMap(({ name, columns }) => columns.map((column) => `${name}.${column}`))
      .filter((column) => !present.has(column))
  })

const listColumns = async (db: Database) =>
  new Set(
    (await listAllTables(db)).flatMap(({ name, columns }) =>
      columns.map((column) => `${name}.${column}`),
    ),
  )

/**
 * Creates the program of a version after this one: this program with further migrations.
 *
 * @param migrations texts, keyed by name
 */
export function makeNextProgram(migrations: Record<string, string>) {
  const { path, remove } = temporaryFolder()
  for (const entry of readdirSync(CHECKOUT))
    // The program finds its files from its real path.
    if (entry === 'dist' || entry === 'migrations')
      cpSync(join(CHECKOUT, entry), join(path, entry), {
        recursive: true,
        preserveTimestamps: true,
      })
    else symlinkSync(join(CHECKOUT, entry), join(path, entry))
  for (const [name, text] of Object.entries(migrations))
    writeFileSync(join(path, 'migrations', `${name}.sql`), text)
  return { command: [process.execPath, join(path, 'dist/mokuroku.js')], remove }
}
