import assert from 'node:assert/strict'
import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { startNode } from '#test/node-process.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { freePort } from '#test/free-port.ts'
import { startMokuroku } from '#test/program.ts'

const LOST =
  /^\{"level":"fatal",.*"msg":"\S+\.sqlite was deleted or replaced while this process used it as the lock of the embedded database\. Ending the process/m

describe('a process whose lock on the embedded database is lost', () => {
  let database: TestDatabase
  let locks: string[]
  beforeEach(async () => {
    database = await createDatabase('embedded', 'empty', 'disk')
    locks = ['lock.sqlite', 'postgres/in-use.sqlite'].map((name) => join(database.dataDir, name))
  })
  afterEach(() => database.remove())

  const startWriter = (...args: string[]) =>
    startNode('test/support/write-numbers.ts', [database.dataDir, ...args])
  const numbersOf = (output: string) =>
    output
      .split('\n')
      .slice(0, -1)
      .flatMap((line) => line.split(' ').map(Number))

  it('ends before a second process writes, even if all lock files were deleted', async () => {
    const first = startWriter()
    await first.waitForOutput(/\n/)
    for (const lock of locks) rmSync(lock)
    const second = startWriter()
    assert.equal(await first.ended, 1)
    assert.match(first.errors(), LOST)
    await second.waitForOutput(/\n/)
    await second.kill()
    const [earlier, later] = [numbersOf(first.output()), numbersOf(second.output())]
    assert.ok(Number(earlier.at(-1)) < Number(later[0]), `${earlier.at(-1)} and ${later[0]}`)
    await withTestDatabase(database, async (db) => {
      const { rows } = await sql<{ number: number }>`select number from numbers`.execute(db)
      const found = new Set(rows.map(({ number }) => number))
      assert.deepEqual(
        [...earlier, ...later].filter((number) => !found.has(number)),
        [],
      )
    })
  })

  it('ends even during a long statement', async () => {
    const writer = startWriter('in one statement')
    await writer.waitForOutput(/begins\n/)
    for (const lock of locks) rmSync(lock)
    assert.equal(await writer.ended, 1)
    assert.match(writer.errors(), LOST)
  })

  it('ends if a lock file is replaced', async () => {
    const writer = startWriter()
    await writer.waitForOutput(/\n/)
    const [lock = ''] = locks
    copyFileSync(lock, `${lock}.copy`)
    renameSync(`${lock}.copy`, lock)
    assert.equal(await writer.ended, 1)
    assert.match(writer.errors(), LOST)
  })

  it('exits with an error if it is a service, which can then be restarted', async () => {
    const environment = {
      HOST: '127.0.0.1',
      PORT: String(await freePort()),
      DATA_DIR: database.dataDir,
    }
    const start = async () => {
      const program = startMokuroku(['serve', '--no-demo'], { environment })
      await program.waitForOutput('mokuroku listens')
      return program
    }
    const first = await start()
    rmSync(locks[0] ?? '')
    const { status, errors } = await first.ended
    assert.equal(status, 1)
    assert.match(errors, LOST)
    const second = await start()
    assert.equal((await second.end('SIGTERM')).status, 0)
  })
})
