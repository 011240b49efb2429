import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { describeOnEachDatabase, skipEmbedded } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { createApp } from '../../apps/queries.ts'
import type { Database } from '../database.ts'
import { signal, SIGNAL_POLL_MS, watchSignals, type Signals, type Topic } from './signals.ts'

const POLL_MS = 20

describeOnEachDatabase('signals', (engine) => {
  let test: OpenTestDatabase
  /** The database as another process sees it, if the engine can be shared. */
  let otherDb: Database
  let closeOther: () => Promise<void>
  before(async () => {
    test = await openTestDatabase(engine)
    const other =
      engine === 'server' ? await test.reconnect() : { db: test.db, close: async () => {} }
    otherDb = other.db
    closeOther = other.close
  })
  after(async () => {
    await closeOther()
    await test.remove()
  })

  let signals: Signals
  let errors: unknown[]
  beforeEach(async () => {
    errors = []
    signals = await watchSignals(test.db, (error) => void errors.push(error), POLL_MS)
  })
  afterEach(() => signals.stop())

  const counter = (topic: Topic) => {
    const calls = { count: 0 }
    signals.on(topic, () => void (calls.count += 1))
    return calls
  }

  /**
   * Resolves after two more polls have called all listeners that were added earlier. Listeners run in the order in
   * which they were added.
   */
  async function twoPolls(watched = signals) {
    const calls = { count: 0 }
    watched.on('bans', () => void (calls.count += 1))
    for (const count of [1, 2]) {
      await signal(otherDb, 'bans')
      await until(() => calls.count === count)
    }
  }

  it('reach every listener of their topic and no other', async () => {
    const calls = [counter('apps'), counter('apps')]
    const other = counter('catalog')
    await signal(otherDb, 'apps')
    await until(() => calls.every(({ count }) => count === 1))
    await twoPolls()
    assert.deepEqual(
      [...calls, other].map(({ count }) => count),
      [1, 1, 0],
    )
  })

  it('are sent by the database when an app or a key changes', async () => {
    const [apps, keys] = [counter('apps'), counter('signing_keys')]
    await createApp(otherDb, { clientName: 'Test', scopes: ['catalog:read'] })
    await until(() => apps.count > 0)
    await sql`insert into signing_keys (kid, alg, private_jwk) values (${'k1'}, 'ES256', '{}')`.execute(
      otherDb,
    )
    await until(() => keys.count > 0)
    await twoPolls()
    assert.deepEqual([apps.count, keys.count], [1, 1])
  })

  it('are polled at least twice a second', () => {
    assert.ok(2 * SIGNAL_POLL_MS < 1_000)
  })

  it('arrive at least once after several changes', async () => {
    const calls = counter('catalog')
    for (let change = 0; change < 10; change += 1) await signal(otherDb, 'catalog')
    await until(() => calls.count > 0)
  })

  it('arrive after the commit and never after a rollback', async () => {
    const calls = counter('apps')
    const undone = otherDb.transaction().execute(async (trx) => {
      await signal(trx, 'apps')
      throw new Error('undo')
    })
    await assert.rejects(undone, /undo/)
    await twoPolls()
    assert.equal(calls.count, 0)
  })

  it('retry a listener that failed without delaying the others', async () => {
    let attempts = 0
    let othersByThen: number[] = []
    signals.on('apps', async () => {
      attempts += 1
      await sleep(1)
      if (attempts === 2) othersByThen = [later.count, catalog.count]
      if (attempts < 3) throw new Error(`attempt ${attempts}`)
    })
    const [later, catalog] = [counter('apps'), counter('catalog')]
    await otherDb.transaction().execute(async (trx) => {
      await signal(trx, 'apps')
      await signal(trx, 'catalog')
    })
    await until(() => attempts === 3)
    assert.deepEqual(othersByThen, [1, 1])
    await twoPolls()
    assert.deepEqual([attempts, later.count, catalog.count], [3, 1, 1])
    assert.deepEqual(errors.map(String), ['Error: attempt 1', 'Error: attempt 2'])
  })

  it('resume after the database was unavailable', async () => {
    await sql`alter table change_signals rename to away`.execute(otherDb)
    await until(() => errors.length > 0)
    await sql`alter table away rename to change_signals`.execute(otherDb)
    const calls = counter('catalog')
    await signal(otherDb, 'catalog')
    await until(() => calls.count > 0)
  })

  /** Creates a listener that no poll calls, because the next one is an hour away. */
  async function watchWithoutPoll() {
    const watched = await watchSignals(test.db, (error) => void errors.push(error), 3_600_000)
    const calls = { count: 0 }
    watched.on('withdrawals', () => void (calls.count += 1))
    return { watched, calls }
  }

  it('from any process have been delivered once catchUp resolves', async () => {
    const { watched, calls } = await watchWithoutPoll()
    for (const count of [1, 2]) {
      await signal(otherDb, 'withdrawals')
      await Promise.all([watched.catchUp(), watched.catchUp()])
      assert.equal(calls.count, count)
    }
    await watched.stop()
    await watched.catchUp()
    assert.equal(calls.count, 2)
  })

  /**
   * Starts a listener that wakes the poll.
   *
   * @returns the listener, with its number of notifications since the start
   */
  async function listenTo(watched: Signals) {
    let notifications = 0
    const listener = await test.listen(() => {
      notifications += 1
      watched.wake()
    })
    // The embedded database listens at once. A connection to a server reports when it starts to listen.
    if (engine === 'server') await until(() => notifications === 1)
    const before = notifications
    return { ...listener, heard: () => notifications - before }
  }

  it('are delivered by notification for revoked tokens, but not for ratings', async () => {
    const { watched, calls } = await watchWithoutPoll()
    const listener = await listenTo(watched)
    await signal(otherDb, 'ratings')
    await signal(otherDb, 'withdrawals')
    await until(() => calls.count === 1)
    assert.equal(listener.heard(), 1)
    await listener.stop()
    await signal(otherDb, 'withdrawals')
    await watched.stop()
    assert.equal(calls.count, 1)
  })

  it(
    'arrive again after a lost connection is replaced',
    { skip: skipEmbedded(engine) },
    async () => {
      const { watched, calls } = await watchWithoutPoll()
      const listener = await listenTo(watched)
      await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'mokuroku changes' and datname = current_database()
    `.execute(otherDb)
      await signal(otherDb, 'withdrawals')
      await until(() => calls.count > 0)
      await listener.stop()
      await watched.stop()
    },
  )

  it('are no longer delivered after stop, which waits for the running listener', async () => {
    let [begun, ended] = [false, false]
    signals.on('apps', async () => {
      begun = true
      await sleep(100)
      ended = true
    })
    const calls = counter('catalog')
    await signal(otherDb, 'apps')
    await until(() => begun)
    await signals.stop()
    assert.equal(ended, true)
    await signal(otherDb, 'catalog')
    const others = await watchSignals(test.db, (error) => void errors.push(error), POLL_MS)
    await twoPolls(others)
    await others.stop()
    assert.equal(calls.count, 0)
  })
})

/** Waits for up to five seconds, although one second is guaranteed, because other tests may keep the machine busy. */
async function until(condition: () => boolean) {
  const end = Date.now() + 5_000
  while (!condition()) {
    assert.ok(Date.now() < end, 'nothing happened within five seconds')
    await sleep(10)
  }
}
