import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { openDatabase, type Database } from '../database.ts'
import { withinOneDeadline } from './deadlines.ts'

/** Sleeps longer than any deadline below. */
const sleepInDatabase = (db: Database) => sql`select pg_sleep(10)`.execute(db)

describe('a statement that fails', () => {
  let database: TestDatabase
  before(async () => {
    database = await createDatabase('server', 'empty')
  })
  after(() => database.remove())

  const openPool = (databasePoolSize: number) => openDatabase({ ...database, databasePoolSize })
  const findBackend = async (db: Database) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
    return rows[0]?.pid
  }

  it('after a short deadline lets a waiting request use a new connection', async () => {
    const { db, close } = await openPool(1)
    const late = assert.rejects(
      withinOneDeadline(() => sleepInDatabase(db), 500),
      { code: 'ETIMEDOUT' },
    )
    await sleep(100)
    assert.equal(typeof (await findBackend(db)), 'number')
    await late
    await close()
  })

  it('after a short deadline leaves idle connections open', async () => {
    const { db, close } = await openPool(2)
    const late = assert.rejects(
      withinOneDeadline(() => sleepInDatabase(db), 2_000),
      { code: 'ETIMEDOUT' },
    )
    const idle = await findBackend(db)
    await late
    assert.equal(await findBackend(db), idle)
    await close()
  })

  it('while it waits for a connection returns that connection to the pool', async () => {
    const { db, close } = await openPool(1)
    const holding = sql`select pg_sleep(1)`.execute(db)
    await assert.rejects(
      withinOneDeadline(() => findBackend(db), 200),
      { code: 'ETIMEDOUT' },
    )
    await holding
    assert.equal(typeof (await findBackend(db)), 'number')
    await close()
  })

  it('discards its connection if the database is read-only', async () => {
    const { db, close } = await openPool(1)
    const before = await findBackend(db)
    await assert.rejects(sql`do 'begin raise read_only_sql_transaction; end'`.execute(db), {
      code: '25006',
    })
    const after = await findBackend(db)
    assert.equal(typeof after, 'number')
    assert.notEqual(after, before)
    await close()
  })
})
