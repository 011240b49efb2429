import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { eventually } from '#test/browser.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { createAccounts } from '#test/ratings.ts'
import { openDatabase, type Database, type OpenDatabase } from '../database.ts'
import { ANY_SIZE, startAutovacuum, vacuumDue } from './autovacuum.ts'

/** Number of rows in each table that the changes below replace. */
const ROWS = 2_000

/** Changes that each replace every row of a table once. */
const CHANGES = {
  ratings: `update ratings set rate_content = 'Read again.', updated_at = now()`,
  works: 'update works set nsfw = not nsfw',
  source_records: 'update source_records set imported_at = now()',
}
const TABLES = Object.keys(CHANGES)

/** Deltas that those changes queue. A service applies such deltas in the background. */
const TAKEN = ['delete from catalog_changes_due', 'delete from rating_deltas']

describe('the embedded database', () => {
  let database: TestDatabase
  let test: OpenDatabase
  before(async () => {
    database = await createDatabase('embedded', 'empty')
    test = await openDatabase(database)
    const { db } = test
    const [account] = await createAccounts(db, 1)
    await sql`
      insert into works (id, kind)
      select id, 'light_novel' from generate_series(1, ${ROWS}::bigint) id`.execute(db)
    await sql`insert into work_refs (id, kind) select id, kind from works`.execute(db)
    await sql`
      insert into ratings (account_id, work_id, kind, rate_content, updated_at)
      select ${account}, id, kind, 'Read.', now() from works`.execute(db)
    await sql`
      insert into source_records (source, kind, external_id, entry_id, fields)
      select 'ranobedb', 'light_novel', id::text, id, '{"title": "A title of some length"}' from works`.execute(
      db,
    )
  })
  after(() => database.remove())

  const change = async () => {
    for (const statement of [...Object.values(CHANGES), ...TAKEN])
      await sql.raw(statement).execute(test.db)
  }
  const sizes = async () => {
    const { rows } = await sql<Record<string, number>>`
      select ${sql.join(TABLES.map((name) => sql`pg_total_relation_size(${name}::regclass)::integer as ${sql.id(name)}`))},
        pg_database_size(current_database())::integer as database`.execute(test.db)
    return rows[0] ?? {}
  }
  const facts = async () => {
    const { rows } = await sql<{ name: string; estimated: number; dead: number; age: number }>`
      select
        relname as name, reltuples as estimated, pg_stat_get_dead_tuples(oid)::integer as dead,
        age(relfrozenxid) as age
      from pg_class where relname in (${sql.join(TABLES)}) order by relname`.execute(test.db)
    return rows
  }

  /** Returns the number of vacuums of `source_records` and of its TOAST table. */
  const countVacuums = async (db: Database) => {
    const { rows } = await sql<{ heap: number; toast: number }>`
      select
        pg_stat_get_vacuum_count(oid)::integer as heap, pg_stat_get_vacuum_count(reltoastrelid)::integer as toast
      from pg_class where relname = 'source_records'`.execute(db)
    return rows[0] ?? assert.fail()
  }

  it('reuses the space of dead rows: six times as many changes make no table larger', async () => {
    const changeAndVacuum = async (times: number) => {
      for (let time = 0; time < times; time += 1) {
        await change()
        await vacuumDue(test.db)
      }
      return sizes()
    }
    const once = await changeAndVacuum(2)
    const often = await changeAndVacuum(12)
    for (const [name, bytes] of Object.entries(often))
      assert.ok(
        bytes <= 1.2 * (once[name] ?? 0),
        `${name} has grown from ${once[name]} to ${bytes} bytes`,
      )
  })

  it('has row statistics and no dead rows after a vacuum pass', async () => {
    await change()
    await vacuumDue(test.db)
    for (const { name, estimated, dead } of await facts())
      assert.deepEqual({ name, estimated, dead }, { name, estimated: ROWS, dead: 0 })
  })

  it('updates the statistics of columns', async () => {
    const { rows } = await sql<{ tables: number }>`
      select count(distinct tablename)::integer as tables from pg_stats
      where tablename in (${sql.join(TABLES)})`.execute(test.db)
    assert.equal(rows[0]?.tables, TABLES.length)
  })

  it('is not vacuumed when nothing has changed', async () => {
    await vacuumDue(test.db)
    const lastRuns = async () => {
      const { rows } = await sql`
        select relid, vacuum_count, analyze_count from pg_stat_user_tables order by relid`.execute(
        test.db,
      )
      return rows
    }
    const before = await lastRuns()
    await vacuumDue(test.db)
    assert.deepEqual(await lastRuns(), before)
  })

  it('freezes old rows', async () => {
    for (let count = 0; count < 60; count += 1)
      await sql`update works set nsfw = nsfw where id = 1`.execute(test.db)
    assert.ok((await facts()).some(({ age }) => age > 50))
    await vacuumDue(test.db, { freezeAge: 50 })
    for (const { name, age } of await facts())
      assert.ok(age <= 50, `${name} has rows ${age} transactions old`)
  })

  const setUpkeep = (value: string) =>
    sql`insert into installation (name, value) values ('upkeep', ${value}::jsonb)
        on conflict (name) do update set value = installation.value || excluded.value`.execute(
      test.db,
    )
  const ageOf = async (name: string) => (await facts()).find((fact) => fact.name === name)?.age ?? 0

  it('freezes rows of medium age once a month, and resumes after an interruption', async () => {
    for (let count = 0; count < 120; count += 1)
      await sql`update works set nsfw = nsfw where id = 1`.execute(test.db)
    const monthly = { monthlyFreezeAge: 100 }
    await vacuumDue(test.db, monthly)
    assert.ok((await ageOf('source_records')) > 100)
    await setUpkeep('{"frozen_at": "2026-01-01T00:00:00Z"}')
    await vacuumDue(test.db, { ...monthly, stopping: AbortSignal.abort() })
    assert.ok((await ageOf('source_records')) > 100)
    await vacuumDue(test.db, monthly)
    for (const { name, age } of await facts()) assert.ok(age <= 100, `${name}: ${age}`)
    const { rows } = await sql`
      select (value ->> 'frozen_at')::timestamptz > now() - interval '1 day' as "isFrozen", value -> 'failed' as failed
      from installation where name = 'upkeep'`.execute(test.db)
    assert.deepEqual(rows, [{ isFrozen: true, failed: [] }])
  })

  it('is vacuumed only while no request waits for the connection', async () => {
    await change()
    const before = await countVacuums(test.db)
    const polls: number[] = []
    await vacuumDue(test.db, { isBusy: () => polls.push(performance.now()) < 4 })
    assert.ok(polls.length >= 4, 'the first table waited')
    assert.equal((await countVacuums(test.db)).heap, before.heap + 1)
    const { promise: busy, resolve: free } = Promise.withResolvers<void>()
    let isBusy = true
    await change()
    const passing = vacuumDue(test.db, {
      isBusy() {
        free()
        return isBusy
      },
    })
    await busy
    assert.equal((await countVacuums(test.db)).heap, before.heap + 1)
    isBusy = false
    await passing
    assert.equal((await countVacuums(test.db)).heap, before.heap + 2)
  })

  it('vacuums by itself while in use', async () => {
    const failures: unknown[] = []
    const { stop } = startAutovacuum(test.db, (error) => failures.push(error), { intervalMs: 10 })
    try {
      await change()
      const isVacuumed = async () => (await facts()).every(({ dead }) => dead === 0)
      await eventually(isVacuumed, 'the end of dead rows', 30_000)
    } finally {
      await stop()
    }
    assert.deepEqual(failures, [])
  })

  it('vacuums a table without vacuuming its TOAST table', async () => {
    const before = await countVacuums(test.db)
    await change()
    await vacuumDue(test.db)
    assert.deepEqual(await countVacuums(test.db), { heap: before.heap + 1, toast: before.toast })
  })

  it('stops a vacuum pass before the next table once the pass is aborted', async () => {
    await change()
    const before = await countVacuums(test.db)
    await vacuumDue(test.db, { stopping: AbortSignal.abort() })
    assert.deepEqual(await countVacuums(test.db), before)
  })

  it('vacuums only tables within given size bounds, and on request only those that have grown', async () => {
    const countAfter = async (bounds: Partial<typeof ANY_SIZE>) => {
      await vacuumDue(test.db, { bySize: { ...ANY_SIZE, ...bounds } })
      return (await countVacuums(test.db)).heap
    }
    const before = await countAfter({})
    assert.equal(await countAfter({ maxBytes: 300_000 }), before)
    assert.equal(await countAfter({ onlyGrown: true }), before)
    assert.equal(await countAfter({}), before + 1)
  })

  it('continues with the next table after a failure, and does not vacuum the same changes again', async () => {
    // With this index, `analyze` fails as on a damaged table.
    await sql
      .raw(`
      create table divisors as select 1 as divisor;
      create function broken(id int) returns int immutable language sql as 'select 1 / count(*)::int from public.divisors';
      create table broken_notes as select id from generate_series(1, 20000) id;
      create index on broken_notes (broken(id));
      delete from divisors`)
      .execute(test.db)
    const failures: unknown[] = []
    const { stop } = startAutovacuum(test.db, (error) => failures.push(error), { intervalMs: 10 })
    const failedTimes = (times: number) =>
      eventually(() => failures.length >= times, `${times} failures`, 60_000)
    try {
      await change()
      await failedTimes(2)
      for (const { name, dead } of await facts())
        assert.deepEqual({ name, dead }, { name, dead: 0 })
      const { heap } = await countVacuums(test.db)
      await failedTimes(5)
      assert.equal((await countVacuums(test.db)).heap, heap)
    } finally {
      await stop()
      await sql`drop table broken_notes`.execute(test.db)
    }
    assert.match(String(failures[0]), /Tables not vacuumed: broken_notes/)
  })

  it('vacuums dead rows whose counts were lost when the database closed', async () => {
    const find = async (db: Database) => {
      const { rows } = await sql`
        select
          pg_stat_get_dead_tuples('source_records'::regclass)::integer as dead,
          pg_stat_get_last_vacuum_time('source_records'::regclass) is not null as "isVacuumed"`.execute(
        db,
      )
      return rows
    }
    await vacuumDue(test.db)
    await sql`delete from source_records`.execute(test.db)
    await test.close()
    await withTestDatabase(database, async (db) => {
      await vacuumDue(db)
      assert.deepEqual(await find(db), [{ dead: 0, isVacuumed: false }])
      await vacuumDue(db, { bySize: ANY_SIZE })
      assert.deepEqual(await find(db), [{ dead: 0, isVacuumed: true }])
    })
  })
})
