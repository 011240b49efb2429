import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { copyMigrations, type MigrationsCopy } from '#test/copy-migrations.ts'
import { createDatabase, describeOnEachDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { startNode } from '#test/node-process.ts'
import { CHECKOUT } from '#test/program.ts'
import { openDatabase, type Database } from '../database.ts'
import { withDeadline } from '../server/deadlines.ts'
import { runLongStatement } from '../server/long-transaction.ts'
import { migrate } from './migrate.ts'

const NAMES = readdirSync(join(CHECKOUT, 'migrations'))
  .map((file) => file.replace(/\.sql$/, ''))
  .toSorted()

describeOnEachDatabase('migrate', (engine) => {
  let test: OpenTestDatabase
  let db: Database
  let migrations: MigrationsCopy
  before(async () => {
    test = await openTestDatabase(engine)
    db = test.db
  })
  after(() => test.remove())
  beforeEach(() => void (migrations = copyMigrations()))
  afterEach(async () => {
    migrations.remove()
    await sql`drop table if exists one, two`.execute(db)
    await sql`delete from migrations where name > '9'`.execute(db)
  })

  const add = (name: string, text: string) => migrations.add(name, text)
  const run = () => migrate(db, migrations.url)
  const applied = async () =>
    (await db.selectFrom('migrations').select('name').orderBy('name').execute()).map(
      ({ name }) => name,
    )
  const tableExists = async (table: string) => {
    const { rows } = await sql<{
      found: boolean
    }>`select to_regclass(${table}) is not null as found`.execute(db)
    return rows[0]?.found
  }

  it('runs pending migrations in name order and returns their names', async () => {
    add('9002_two', 'create table two (id bigint references one)')
    add('9001_one', 'create table one (id bigint primary key); insert into one values (1);')
    assert.deepEqual(await run(), ['9001_one', '9002_two'])
    assert.deepEqual(await applied(), [...NAMES, '9001_one', '9002_two'])
    assert.deepEqual(await run(), [])
    assert.deepEqual((await sql`select id from one`.execute(db)).rows, [{ id: 1 }])
  })

  it('does nothing if the schema is up to date', async () => {
    assert.deepEqual(await migrate(db), [])
    assert.deepEqual(await applied(), NAMES)
  })

  it('ignores files that are not migrations', async () => {
    writeFileSync(join(migrations.path, 'README.md'), 'nothing')
    assert.deepEqual(await run(), [])
  })

  it('rejects a migration that was edited after it ran, and runs no pending migrations', async () => {
    add('9001_one', 'create table one (id bigint)')
    await run()
    add('9001_one', 'create table one (id integer)')
    add('9002_two', 'create table two (id bigint)')
    await assert.rejects(run(), {
      message:
        'Migration 9001_one was edited after it ran. Restore migrations/9001_one.sql; change the schema with a new file.',
    })
    assert.equal(await tableExists('two'), false)
  })

  it('rejects a database that is newer than the program', async () => {
    add('9001_one', 'create table one (id bigint)')
    await run()
    await assert.rejects(migrate(db), {
      message:
        'The database is newer than this program: it contains the unknown migration 9001_one. Update mokuroku.',
    })
  })

  it('rolls back a failed migration, keeps earlier ones, and continues once the migration is fixed', async () => {
    add('9001_one', 'create table one (id bigint)')
    add('9002_two', 'create table two (id bigint); insert into two values (1); select 1 / 0;')
    await assert.rejects(run(), /division by zero/)
    assert.deepEqual([await tableExists('one'), await tableExists('two')], [true, false])
    assert.deepEqual(await applied(), [...NAMES, '9001_one'])
    add('9002_two', 'create table two (id bigint)')
    assert.deepEqual(await run(), ['9002_two'])
  })
})

describe('a migration blocked by another session', () => {
  let test: OpenTestDatabase
  let migrations: MigrationsCopy
  beforeEach(async () => {
    test = await openTestDatabase('server')
    migrations = copyMigrations()
    migrations.add('9001_wider', 'alter table ratings add column wider text')
  })
  afterEach(async () => {
    migrations.remove()
    await test.remove()
  })

  type Line = {
    message: string
    migration: string
    retry_in_ms?: number
    blocked_by?: { pid: number; application: string }[]
  }
  /** Migrates while another session holds a lock on ratings, and collects the log. */
  async function migrateWhileLocked(options: { giveUpMs?: number; lockTimeoutMs?: number }) {
    const holder = new pg.Client({
      connectionString: test.place.databaseUrl,
      application_name: 'a report',
    })
    await holder.connect()
    await holder.query('begin; select count(*) from ratings')
    const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid')
    const lines: Line[] = []
    const write = (facts: object, message: string) => void lines.push({ message, ...facts } as Line)
    const migrating = migrate(test.db, migrations.url, {
      log: { info: write, warn: write },
      ...options,
    })
    migrating.catch(() => {})
    return { holder, pid: rows[0]?.pid, lines, migrating }
  }

  it('logs the blockers at each retry, and lets other statements run between retries', async () => {
    const { holder, pid, lines, migrating } = await migrateWhileLocked({ lockTimeoutMs: 1_000 })
    const waits = () => lines.filter(({ message }) => /holds a lock/.test(message))
    const begins = () => lines.filter(({ message }) => message === 'Starting a migration')
    while (waits().length < 2) {
      // This statement would block if the migration were still waiting for its lock.
      await sql`select count(*) from ratings`.execute(test.db)
      await sleep(20)
    }
    for (const { migration, blocked_by } of waits())
      assert.deepEqual(
        [migration, blocked_by?.map(({ pid, application }) => [pid, application])],
        ['9001_wider', [[pid, 'a report']]],
      )
    assert.deepEqual(
      waits().map(({ retry_in_ms }) => retry_in_ms),
      [1_000, 2_000],
    )
    await holder.end()
    assert.deepEqual(await migrating, ['9001_wider'])
    assert.equal(begins().length, waits().length + 1)
  })

  it('delays other statements for less than 2.5 seconds by default', async () => {
    const { holder, lines, migrating } = await migrateWhileLocked({})
    let longest = 0
    while (!lines.some(({ message }) => /holds a lock/.test(message))) {
      const since = performance.now()
      await sql`select count(*) from ratings`.execute(test.db)
      longest = Math.max(longest, performance.now() - since)
      await sleep(20)
    }
    assert.ok(longest < 2_500, `${Math.round(longest)} ms`)
    await holder.end()
    await migrating
  })

  it('is retried after a deadlock', async () => {
    migrations.add('9001_wider', 'lock table ratings; lock table works')
    const holder = new pg.Client({ connectionString: test.place.databaseUrl })
    await holder.connect()
    // Makes PostgreSQL choose the migration as the victim.
    await holder.query(`set deadlock_timeout = '1min'; begin; lock table works`)
    const warnings: string[] = []
    const log = {
      info: () => {},
      warn: (_: object, message: string) => void warnings.push(message),
    }
    const migrating = migrate(test.db, migrations.url, { log })
    migrating.catch(() => {})
    const waiting = `select from pg_locks where not granted and relation = 'works'::regclass`
    while ((await holder.query(waiting)).rowCount === 0) await sleep(20)
    await holder.query('lock table ratings; commit')
    await holder.end()
    assert.deepEqual(await migrating, ['9001_wider'])
    assert.deepEqual(warnings, ['Another session holds a lock that the migration needs; retrying'])
  })

  it('eventually fails, names the blockers, and changes nothing', async () => {
    const { holder, pid, migrating } = await migrateWhileLocked({
      lockTimeoutMs: 1_000,
      giveUpMs: 500,
    })
    await assert.rejects(
      migrating,
      new RegExp(
        `Migration 9001_wider failed.* on table ratings .*session ${pid} \\(a report.* holds it`,
      ),
    )
    await holder.end()
    const { rows } = await sql`select from pg_attribute where attname = 'wider'`.execute(test.db)
    assert.equal(rows.length, 0)
  })

  it('waits indefinitely for another migrating process, and logs this', async () => {
    const other = await test.reconnect()
    const lines: string[] = []
    const log = { info: (_: object, message: string) => void lines.push(message), warn: () => {} }
    migrations.add('9001_wider', 'select pg_sleep(2)')
    const run = (db: Database) =>
      migrate(db, migrations.url, { log, lockTimeoutMs: 300, giveUpMs: 0 })
    const applied = await Promise.all([run(test.db), run(other.db)])
    assert.deepEqual(applied.flat(), ['9001_wider'])
    assert.ok(lines.includes('Another process is migrating; waiting for it'))
    await other.close()
  })
})

describe('the migrations of a new database', () => {
  it('are not logged individually', async () => {
    const database = await createDatabase('server', 'nothing')
    const { db, close } = await openDatabase({ ...database, databasePoolSize: 2 })
    const lines: string[] = []
    const write = (_: object, message: string) => void lines.push(message)
    assert.deepEqual(await migrate(db, undefined, { log: { info: write, warn: write } }), NAMES)
    assert.deepEqual(lines, [])
    await close()
    await database.remove()
  })
})

describe('runLongStatement', () => {
  it('runs longer than the timeouts of the server and the request', async () => {
    const database = await createDatabase('server', 'nothing')
    const url = new URL(database.databaseUrl ?? '')
    url.searchParams.set('statement_timeout', '300')
    const { db, close } = await openDatabase({ ...database, databaseUrl: url.href })
    await assert.rejects(sql`select pg_sleep(1)`.execute(db), { code: '57014' })
    await withDeadline(200, () => runLongStatement(db, 'select pg_sleep(1)'))
    await close()
    await database.remove()
  })

  it('restores the settings of its connection, even after a failure', async () => {
    const database = await createDatabase('server', 'nothing')
    const { db, close } = await openDatabase(database)
    const settings = async () =>
      (await sql`select name, setting from pg_settings order by name`.execute(db)).rows
    const before = await settings()
    await runLongStatement(db, 'vacuum pg_class')
    assert.deepEqual(await settings(), before)
    await assert.rejects(runLongStatement(db, 'vacuum nothing_of_that_name'), { code: '42P01' })
    assert.deepEqual(await settings(), before)
    await close()
    await database.remove()
  })
})

describe('processes that migrate the same database concurrently', () => {
  it('all succeed, and each migration runs once', async () => {
    const database = await createDatabase('server', 'nothing')
    const environment = { DATABASE_URL: database.databaseUrl, DATA_DIR: database.dataDir }
    const processes = [1, 2, 3].map(() =>
      startNode('dist/mokuroku.js', ['migrate', '--json'], environment),
    )
    assert.deepEqual(await Promise.all(processes.map(({ ended }) => ended)), [0, 0, 0])
    const applied = processes.flatMap(
      ({ output }) => (JSON.parse(output()) as { ran: string[] }).ran,
    )
    assert.deepEqual(applied.toSorted(), NAMES)
    await database.remove()
  })

  it('wait for each other as long as necessary', async () => {
    const test = await openTestDatabase('server')
    const migrations = copyMigrations()
    migrations.add('9001_slow', 'select pg_sleep(4); create table slow (id bigint)')
    const url = new URL(test.place.databaseUrl ?? '')
    // Shortens the pool's statement timeout so that the test can exceed it.
    url.searchParams.set('statement_timeout', '2000')
    const others = await Promise.all(
      [1, 2].map(() => openDatabase({ ...test.place, databaseUrl: url.href })),
    )
    const applied = await Promise.all(others.map(({ db }) => migrate(db, migrations.url)))
    assert.deepEqual(applied.flat(), ['9001_slow'])
    await Promise.all(others.map(({ close }) => close()))
    migrations.remove()
    await test.remove()
  })
})
