import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, type Engine, type TestDatabase } from '#test/databases.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { CHECKOUT, mokuroku } from '#test/program.ts'
import { runCommand } from '#test/run-command.ts'
import type { Database } from '../src/db/database.ts'

const SAMPLE = join(CHECKOUT, 'sample/ranobedb')

/**
 * Commands that open the database, each with its required arguments. `update` is excluded, because it contacts the
 * sources first.
 */
const COMMANDS = [
  'migrate',
  'serve',
  'serve --demo',
  'import list',
  'import show 1',
  'matches list',
  'matches accept 1',
  'merge galgame 1 2',
  'unmerge galgame 1 2',
  'entry show galgame 1',
  'set galgame 1 engine KiriKiri',
  'unset galgame 1 engine',
  'account create one@example.org',
  'account list',
  'account delete 1 --yes',
  'app create One',
  'app list',
  'app disable mokuroku-console',
  'app rotate-secret mokuroku-console',
  'keys rotate',
  'search reindex',
].map((command) => command.split(' '))

const REFUSAL =
  'The database contains migration 0001_catalog, which this version has replaced, so it cannot be upgraded in place. Nothing was ' +
  'changed. Move its data to an empty database with pg_dump --data-only: see “A database of an earlier schema” in ' +
  'docs/operations.md.\n'

/** Reads the columns of every table, with its row count and a digest of its values. */
async function readEverything(db: Database) {
  const { rows: columns } = await sql<{ table: string; columns: string }>`
    select attrelid::regclass::text as table, string_agg(attname || ' ' || atttypid, ', ' order by attnum) as columns
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace and attnum > 0
    group by 1 order by 1`.execute(db)
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' order by 1`.execute(db)
  const contents = []
  for (const { name } of tables) {
    const { rows } = await sql`
      select ${name} as name, count(*), md5(string_agg(line::text, ',' order by line::text)) as digest
      from ${sql.table(name)} line`.execute(db)
    contents.push(...rows)
  }
  return { columns, contents }
}

/** Creates a database whose first migration has the name of a file that a later version replaced. */
async function createEarlierDatabase(engine: Engine) {
  const database = await createDatabase(engine, 'sample')
  await withTestDatabase(database, async (db) => {
    await db
      .updateTable('migrations')
      .set({ name: '0001_catalog' })
      .where('name', '=', '0001_kernel')
      .execute()
  })
  return database
}

const refusedBy = async (database: TestDatabase, args: string[], workers = '') => {
  const environment = {
    DATABASE_URL: database.databaseUrl,
    DATA_DIR: database.dataDir,
    PORT: '0',
    WORKERS: workers,
    LOG_LEVEL: 'error',
  }
  const start = args[0] === 'serve' ? mokuroku : runCommand
  const { status, output, errors } = await start(args, { environment })
  assert.deepEqual({ status, output, errors }, { status: 1, output: '', errors: REFUSAL })
}

describe('a server database with a replaced migration', () => {
  let database: TestDatabase
  let untouched: Awaited<ReturnType<typeof readEverything>>
  before(async () => {
    database = await createEarlierDatabase('server')
    untouched = await withTestDatabase(database, readEverything)
  })
  after(async () => {
    const contents = await withTestDatabase(database, readEverything)
    await database.remove()
    assert.deepEqual(contents, untouched)
  })

  for (const args of [...COMMANDS, ['import', 'ranobedb', SAMPLE]])
    it(`is rejected and left unchanged by mokuroku ${args.slice(0, 2).join(' ')}`, () =>
      refusedBy(database, args))

  it('is rejected and left unchanged by mokuroku serve with several workers', () =>
    refusedBy(database, ['serve'], '2'))
})

describe('an embedded database with a replaced migration', () => {
  it('is rejected and left unchanged', async () => {
    const database = await createEarlierDatabase('embedded')
    try {
      const untouched = await withTestDatabase(database, readEverything)
      for (const args of [['migrate'], ['serve', '--demo']]) await refusedBy(database, args)
      assert.deepEqual(await withTestDatabase(database, readEverything), untouched)
      assert.equal(existsSync(join(database.dataDir, 'demo.json')), false)
    } finally {
      await database.remove()
    }
  })
})
