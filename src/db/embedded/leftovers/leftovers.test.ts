import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { importRecords, readCatalog } from '#test/catalog.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { startNode } from '#test/node-process.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { FIRST_DUMP } from '#test/weekly-dumps.ts'
import { openDatabase, type Database } from '../../database.ts'
import { clusterOf } from '../cluster.ts'
import { lockDirectory } from '../directory-lock.ts'

/** Files of tables and indexes, and temporary files. */
const DATA_FILE = /(^|\/)(t\d+_)?\d+(_\w+)?(\.\d+)?$|pgsql_tmp\d/

describe('the start of an embedded database', () => {
  let database: TestDatabase
  let base: string
  beforeEach(async () => {
    database = await createDatabase('embedded', 'empty')
    base = join(clusterOf(database.dataDir), 'base')
  })
  afterEach(() => database.remove())

  const dataFiles = () =>
    readdirSync(base, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(base, join(entry.parentPath, entry.name)))
      .filter((path) => DATA_FILE.test(path))
  const bytes = () => dataFiles().reduce((sum, path) => sum + statSync(join(base, path)).size, 0)

  /** Lists the files of the database that no catalog names. */
  const unknownFiles = async (db: Database) => {
    const { rows } = await sql<{ path: string }>`
      select pg_relation_filepath(oid) as path from pg_class where pg_relation_filepath(oid) like 'base/%'`.execute(
      db,
    )
    const known = new Set(rows.map(({ path }) => relative('base', path)))
    const folder = [...known][0]?.split('/')[0] ?? ''
    return dataFiles().filter(
      (path) =>
        path.includes('pgsql_tmp') ||
        (path.startsWith(`${folder}/`) &&
          !known.has(path.replace(/(_(fsm|vm|init))?(\.\d+)?$/, ''))),
    )
  }

  it('deletes the files of tables and sorts of a killed transaction, and keeps all others', async () => {
    const child = startNode('test/support/killed-transaction.ts', [database.dataDir])
    assert.equal(await child.ended, null, child.errors())
    assert.ok(dataFiles().some((path) => path.includes('pgsql_tmp')))
    const before = bytes()
    const warnings: string[] = []
    const log = {
      warn: (facts: object, text: string) =>
        warnings.push('err' in facts ? `${text}: ${String(facts.err)}` : text),
    }
    const { db, close } = await openDatabase(database, log)
    try {
      assert.deepEqual(
        { warnings, unknown: await unknownFiles(db) },
        {
          warnings: ['Deleted files that a killed process had left in the data directory'],
          unknown: [],
        },
      )
      const { rows } = await sql`select count(*)::integer as kept from kept`.execute(db)
      assert.deepEqual(rows, [{ kept: 30_000 }])
    } finally {
      await close()
    }
    // Each of the five copies of the rows takes more than 6 MB.
    assert.ok(before - bytes() > 24e6, `${before - bytes()} bytes were freed`)
    const after = dataFiles()
    await withTestDatabase(database, async () => {})
    assert.deepEqual(dataFiles(), after)
  })

  it('frees the space of an import that was killed', async () => {
    await withTestDatabase(database, (db) => importRecords(db, 'vndb', FIRST_DUMP))
    const catalog = await withTestDatabase(database, readCatalog)
    for (const moment of ['3', '12']) {
      const child = startNode('test/support/interrupted-import.ts', ['', database.dataDir, moment])
      assert.equal(await child.ended, null, child.errors())
      const left = dataFiles().length
      await withTestDatabase(database, async (db) => {
        assert.deepEqual(await unknownFiles(db), [])
        assert.ok(dataFiles().length < left, 'the import left files behind')
        assert.deepEqual(await readCatalog(db), catalog)
      })
    }
  })

  it('deletes no files while the catalogs may be incomplete', async () => {
    const path = await withTestDatabase(database, async (db) => {
      await sql`create table notes as select 1 as id`.execute(db)
      const { rows } = await sql<{ path: string }>`
        select pg_relation_filepath('notes'::regclass) as path`.execute(db)
      // As if the page of `pg_class` with this row had been lost.
      await sql`delete from pg_class where relname = 'notes'`.execute(db)
      return rows[0]?.path ?? ''
    })
    await withTestDatabase(database, async () => {})
    assert.ok(existsSync(join(clusterOf(database.dataDir), path)))
    await withTestDatabase(database, (db) =>
      sql`delete from pg_attribute where not exists (select from pg_class where oid = attrelid)`.execute(
        db,
      ),
    )
    await withTestDatabase(database, (db) =>
      sql`delete from pg_type where typrelid <> 0 and not exists (select from pg_class where oid = typrelid)`.execute(
        db,
      ),
    )
    await withTestDatabase(database, async () => {})
    assert.ok(!existsSync(join(clusterOf(database.dataDir), path)))
  })

  it('deletes unfinished copies unless another process uses them, and nothing else', async () => {
    const { dataDir } = database
    const inUse = join(dataDir, 'backup-copy-1')
    const lock = await lockDirectory(inUse)
    const kept = ['postgres.before-restore-20260101T000000Z', 'notes', 'reserve.txt']
    const left = ['backup-copy-2', 'restoring-a', 'postgres.restored', 'postgres.unfinished']
    for (const name of [...kept, ...left]) mkdirSync(join(dataDir, name))
    writeFileSync(join(dataDir, 'reserve.unfinished'), 'x')
    writeFileSync(join(base, '1/99999'), 'x')
    try {
      await withTestDatabase(database, async () => {})
      const names = readdirSync(dataDir)
      assert.deepEqual(
        [...left, 'reserve.unfinished'].filter((name) => names.includes(name)),
        [],
      )
      for (const name of [...kept, 'backup-copy-1', 'postgres'])
        assert.ok(names.includes(name), name)
      assert.ok(existsSync(join(base, '1/99999')), 'a file of another database')
    } finally {
      lock.release()
    }
  })
})
