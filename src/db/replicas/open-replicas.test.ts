import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { eventually } from '#test/browser.ts'
import { startPostgres, startStandby } from '#test/postgres.ts'
import { errorCode } from '../../kernel/error-code.ts'
import { openDatabase, type Database } from '../database.ts'
import { withDeadline } from '../server/deadlines.ts'
import { inReadTransaction } from './reads.ts'
import { openReplicas, type Replicas } from './open-replicas.ts'

const skip = process.env['DATABASE_URL'] !== undefined

describe('reads on a replica', { skip }, () => {
  const closers: (() => unknown)[] = []
  let replicas: Replicas
  /** Number of reads that wait for a connection to the replica, and the largest number so far. */
  const waiting = { now: 0, most: 0 }

  before(async () => {
    const primary = await startPostgres()
    closers.push(primary.stop)
    const standby = await startStandby(primary)
    closers.push(standby.stop)
    const settings = { databaseUrl: primary.url, databasePoolSize: 1, dataDir: '' }
    const { db, close } = await openDatabase(settings)
    closers.push(close)
    const replicaSettings = {
      ...settings,
      databaseReplicaUrls: [standby.url],
      databasePreparedStatements: true,
    }
    const log = { info: () => {}, warn: () => {} }
    replicas = openReplicas(replicaSettings, db, log, {
      observer: undefined,
      countWaits: () => async (connect) => {
        waiting.now += 1
        waiting.most = Math.max(waiting.most, waiting.now)
        try {
          return await connect()
        } finally {
          waiting.now -= 1
        }
      },
    })
    closers.push(replicas.close)
    await eventually(async () => {
      await findServer()
      return replicas.counts.replica > 0
    }, 'a read on the replica')
  })
  after(async () => {
    for (const close of closers.toReversed()) await close()
  })

  const serverOf = async (db: Database) =>
    (await sql<{ standby: boolean }>`select pg_is_in_recovery() as standby`.execute(db)).rows[0]
      ?.standby === true
      ? 'standby'
      : 'primary'
  const findServer = () => inReadTransaction(replicas.reads, serverOf)

  it('count as waiting while its connections are all in use, and run on the primary soon', async () => {
    assert.deepEqual(waiting, { now: 0, most: 1 })
    const started = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const holder = inReadTransaction(replicas.reads, async (trx) => {
      started.resolve()
      await released.promise
      return serverOf(trx)
    })
    await started.promise
    assert.equal(waiting.now, 0)
    const since = performance.now()
    const reads = [findServer(), findServer()]
    await eventually(async () => waiting.now === 2, 'two waiting reads')
    assert.deepEqual(await Promise.all(reads), ['primary', 'primary'])
    const waited = performance.now() - since
    assert.ok(waited < 2_000, `${Math.round(waited)} ms`)
    assert.equal(waiting.now, 0)
    released.resolve()
    assert.equal(await holder, 'standby')
    await eventually(async () => (await findServer()) === 'standby', 'a read on the replica')
  })

  it('cannot write after the replica was promoted', async () => {
    let result: unknown
    const server = await inReadTransaction(replicas.reads, async (trx) => {
      const found = await serverOf(trx)
      if (found === 'standby')
        // A promotion may take longer than a read.
        await withDeadline(60_000, async () => {
          await sql`set local statement_timeout = 0`.execute(trx)
          await sql`select pg_promote()`.execute(trx)
          // A transaction that begins during recovery is always read-only.
          await sql`commit`.execute(trx)
          await sql`begin`.execute(trx)
          assert.equal(await serverOf(trx), 'primary')
          result = await sql`create table written ()`.execute(trx).then(() => 'written', errorCode)
        })
      return found
    })
    assert.equal(result, '25006')
    // The read runs again on the primary.
    assert.equal(server, 'primary')
  })
})
