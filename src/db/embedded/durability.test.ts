import assert from 'node:assert/strict'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { after, describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { createDatabase } from '#test/databases.ts'
import { startNode } from '#test/node-process.ts'
import { temporaryFolder } from '#test/program.ts'
import { seedRandom } from '#test/seeded-random.ts'
import { openDatabase } from '../database.ts'

const KILL_COUNT = 12
/** Number of kills in the middle of a vacuum. */
const VACUUM_KILLS = Number(process.env['VACUUM_KILLS'] ?? 2)

const open = (dataDir: string) => openDatabase({ dataDir })

describe('the embedded database', () => {
  const { path: dataDir, remove } = temporaryFolder('disk')
  after(remove)

  const startWriter = () => startNode('test/support/write-numbers.ts', [dataDir])
  const random = seedRandom('kills')

  it('survives being killed during its creation', async () => {
    const folders = ['postgres', 'postgres.unfinished'].map((folder) =>
      join(dataDir, folder, 'PG_VERSION'),
    )
    const early = startWriter()
    await sleep(500)
    await early.kill()
    // PGlite treats the folder as a complete database once this file exists, although the database is complete only
    // slightly later.
    const late = startWriter()
    const deadline = Date.now() + 60_000
    while (!folders.some((path) => fs.existsSync(path)) && Date.now() < deadline) pause(1)
    await late.kill()
    const writer = startWriter()
    await writer.waitForOutput(/\n/)
    await writer.kill()
  })

  it(`loses no acknowledged write and keeps no partial transaction when it is killed ${KILL_COUNT} times`, async () => {
    const acknowledged: number[] = []
    for (let kill = 1; kill <= KILL_COUNT; kill += 1) {
      const writer = startWriter()
      // Usually kills the writer while it writes, and sometimes while it still recovers from the previous kill.
      if (kill % 4 !== 0) await writer.waitForOutput(/\n/)
      await sleep(random.below(500))
      await writer.kill()
      assert.equal(writer.errors(), '')
      const whole = writer.output().split('\n').slice(0, -1)
      acknowledged.push(...whole.flatMap((line) => line.split(' ').map(Number)))
      if (kill % 3 === 0 || kill === KILL_COUNT) await check(acknowledged)
    }
    assert.ok(acknowledged.length > KILL_COUNT, 'nothing was put to the test')
  })

  it(`keeps every row when it is killed ${VACUUM_KILLS} times in the middle of a vacuum`, async (test) => {
    let interrupted = 0
    for (let kill = 1; kill <= VACUUM_KILLS; kill += 1) {
      const vacuuming = startNode('test/support/vacuum-rows.ts', [dataDir])
      await vacuuming.waitForOutput(/\d\n/)
      // Odd kills usually interrupt the first vacuum; even ones may interrupt a later one.
      await sleep(random.below(kill % 2 === 0 ? 300 : 20))
      await vacuuming.kill()
      assert.equal(vacuuming.errors(), '')
      const lines = vacuuming.output().split('\n').slice(0, -1)
      if (lines.at(-1) !== 'done') interrupted += 1
      const acknowledged = Math.max(...lines.map(Number).filter((line) => !Number.isNaN(line)))
      await checkVacuumed(acknowledged)
    }
    test.diagnostic(`${interrupted} of ${VACUUM_KILLS} kills interrupted a vacuum`)
  })

  /** Checks that all rows are of one round, in the table and in its index. */
  async function checkVacuumed(acknowledged: number) {
    const { db, close } = await open(dataDir)
    try {
      for (const scan of ['seqscan', 'indexscan', 'bitmapscan']) {
        await sql`set ${sql.raw(`enable_${scan}`)} = off`.execute(db)
        const { rows } = await sql<{ found: number; first: number; last: number }>`
          select count(*) as found, min(round) as first, max(round) as last
          from vacuumed where id between 1 and 10000`.execute(db)
        const [{ found, first, last } = { found: 0, first: 0, last: 0 }] = rows
        assert.equal(found, 10_000)
        assert.equal(first, last)
        assert.ok(last >= acknowledged)
        await sql`set ${sql.raw(`enable_${scan}`)} = on`.execute(db)
      }
    } finally {
      await close()
    }
  }

  async function check(acknowledged: number[]) {
    const { db, close } = await open(dataDir)
    try {
      const { rows } = await sql<{ number: number }>`select number from numbers`.execute(db)
      const found = new Set(rows.map(({ number }) => number))
      assert.deepEqual(
        acknowledged.filter((number) => !found.has(number)),
        [],
      )
      const { rows: halves } = await sql`
        select batch from numbers group by batch having count(*) not in (1, 5)`.execute(db)
      assert.deepEqual(halves, [])
      await sql`set enable_seqscan = off`.execute(db)
      const { rows: damage } = await sql`
        select count(*) as indexed from numbers where number > 0`.execute(db)
      assert.deepEqual(damage, [{ indexed: found.size }])
    } finally {
      await close()
    }
  }
})

describe('an acknowledged write', () => {
  it('is on disk, because the operating system has synced the write-ahead log', async (test) => {
    const database = await createDatabase('embedded', 'sample', 'disk')
    const synced = recordSyncs(test)
    const { db, close } = await open(database.dataDir)
    const settings = await sql`
      select name, setting from pg_settings
      where name in ('fsync', 'full_page_writes', 'synchronous_commit', 'wal_sync_method')
      order by name`.execute(db)
    assert.deepEqual(settings.rows, [
      { name: 'fsync', setting: 'on' },
      { name: 'full_page_writes', setting: 'on' },
      { name: 'synchronous_commit', setting: 'on' },
      { name: 'wal_sync_method', setting: 'fsync' },
    ])

    const logSyncs = async (work: () => Promise<unknown>) => {
      synced.paths.splice(0)
      await work()
      return synced.paths.filter((path) => path.includes('pg_wal')).length
    }
    const write = () =>
      sql`update change_signals set revision = revision + ${1} where topic = 'apps'`.execute(db)
    for (let count = 1; count <= 5; count += 1) assert.ok((await logSyncs(write)) > 0)
    assert.equal(await logSyncs(() => sql`select ${1}::int`.execute(db)), 0)
    await sql`checkpoint`.execute(db)
    assert.ok(
      synced.paths.some((path) => path.includes(join('base', ''))),
      'a checkpoint syncs the tables',
    )

    synced.stop()
    await close()
    await database.remove()
  })

  it('is safe even in a new database, because all its files have been synced', async (test) => {
    const { path: dataDir, remove } = temporaryFolder('disk')
    const synced = recordSyncs(test)
    const { close } = await open(dataDir)
    synced.stop()
    const unfinished = join(dataDir, 'postgres.unfinished')
    for (const path of ['PG_VERSION', join('global', 'pg_control'), 'base', 'pg_wal'])
      assert.ok(synced.paths.includes(join(unfinished, path)), path)
    assert.ok(synced.paths.includes(dataDir), 'the folder that holds it')
    await close()
    remove()
  })
})

/** Records the paths of all files synced from now on. */
function recordSyncs({ mock }: TestContext) {
  const paths: string[] = []
  const opened = new Map<number, string>()
  const { openSync, fsyncSync } = fs
  mock.method(fs, 'openSync', (...[path, ...rest]: Parameters<typeof openSync>) => {
    const descriptor = openSync(path, ...rest)
    opened.set(descriptor, String(path))
    return descriptor
  })
  mock.method(fs, 'fsyncSync', (descriptor: number) => {
    fsyncSync(descriptor)
    paths.push(opened.get(descriptor) ?? '')
  })
  syncBuiltinESMExports()
  return {
    paths,
    stop() {
      mock.restoreAll()
      syncBuiltinESMExports()
    },
  }
}

/** Blocks without yielding to the event loop, which would notice a file too late. */
const pause = (milliseconds: number) =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
