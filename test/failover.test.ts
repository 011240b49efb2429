import assert from 'node:assert/strict'
import { afterEach, describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { eventually } from '#test/browser.ts'
import { importRecords } from '#test/catalog.ts'
import { signalTree } from '#test/child-processes.ts'
import { asAdmin, createServerDatabase, databaseAt } from '#test/databases.ts'
import { startPostgres, startStandby, type PostgresServer } from '#test/postgres.ts'
import { queryOnce } from '#test/query-once.ts'
import { removeFolder, scratchFolder } from '#test/scratch-folder.ts'
import { startService, type TestService } from '#test/service.ts'
import { sourceRecords } from '#test/source-records.ts'
import { signIn, type SignedInUser } from '#test/user-api.ts'
import { openDatabase } from '../src/db/database.ts'
import { numberVariable } from '#test/number-variables.ts'

/** Number of times that each test runs. The default is one, since each run starts two servers. */
const RUNS = numberVariable('FAILOVER_RUNS') ?? 1
const LIMIT_MS = 240_000 * RUNS

/** Writers that send requests at the same time. */
const WRITERS = 4
/**
 * Maximum time, in milliseconds, from a promotion until each writer has written: twice the documented time, since the
 * machine may be busy.
 */
const MAX_WRITE_MS = 10_000
/** Minimum number of ids that an epoch of the change feed skips. */
const MIN_SKIPPED_IDS = 10_000_000

/** Acknowledged writes of each writer before and after the failover. */
const WRITES = 5

let closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.toReversed()) await close()
  closers = []
})

/** A service with a primary, a synchronous standby, and writers. */
async function startStage() {
  const primary = await startPostgres()
  closers.push(primary.stop)
  await createServerDatabase(primary.url, 'mokuroku')
  const standby = await startStandby(primary)
  closers.push(standby.stop)
  await asAdmin(primary.url, `alter system set synchronous_standby_names = '*'`)
  await asAdmin(primary.url, 'select pg_reload_conf()')
  await eventually(
    async () =>
      (await queryOnce(primary.url, `select from pg_stat_replication where sync_state = 'sync'`))
        .length === 1,
    'the standby is synchronous',
  )
  const hosts = [primary, standby].map(({ url }) => new URL(url).host).join(',')
  const databaseUrl = `postgres://postgres@${hosts}/mokuroku?target_session_attrs=read-write`
  const dataDir = scratchFolder('test')
  closers.push(async () => removeFolder(dataDir))
  const service = await startService({ database: { databaseUrl, dataDir, remove: async () => {} } })
  closers.push(service.close)
  await importRecords(service.db, 'vndb', [sourceRecords.galgame('v1')])
  const feed = await nextFeedState(primary, 0)
  const writers = await startWriters(service)
  return { primary, standby, databaseUrl, service, feed, writers }
}

type Stage = Awaited<ReturnType<typeof startStage>>

/** Writes increasing numbers into its own collection, one at a time, and records which were acknowledged. */
type Writer = { id: number; sent: number; acknowledged: number }

async function startWriters(service: TestService) {
  const me = await signIn(service)
  const statuses = new Map<number, number>()
  const isStopped = { now: false }
  const writers: Writer[] = []
  for (let number = 0; number < WRITERS; number += 1) {
    const { body } = await me.send('POST', '/v3/user/me/collections', { name: `List ${number}` })
    writers.push({ id: (body as { data: { id: number } }).data.id, sent: 0, acknowledged: 0 })
  }
  const app = await service.createApp()
  const requests = [
    () => service.requestToken(app),
    () => service.get('/galgames'),
    () => service.get('/health/ready'),
    () => me.send('GET', '/v3/user/me/collections'),
  ]
  const running = Promise.all([
    ...writers.map((writer) => write(me, writer, statuses, isStopped)),
    ...requests.map((request) => repeat(request, statuses, isStopped)),
  ])
  running.catch(() => {})
  return {
    writers,
    statuses,
    /** Waits until each writer has written a few more numbers. */
    async writeMore() {
      const before = writers.map(({ acknowledged }) => acknowledged)
      while (writers.some(({ acknowledged }, at) => acknowledged < (before[at] ?? 0) + WRITES)) {
        await Promise.race([running, sleep(20)])
        assert.ok(!isStopped.now)
      }
    },
    async stop() {
      isStopped.now = true
      await running
    },
  }
}

async function repeat(
  request: () => Promise<{ status: number }>,
  statuses: Map<number, number>,
  isStopped: { now: boolean },
) {
  while (!isStopped.now) {
    const { status } = await request()
    count(statuses, status)
    await sleep(20)
  }
}

const count = (statuses: Map<number, number>, status: number) =>
  statuses.set(status, (statuses.get(status) ?? 0) + 1)

async function write(
  me: SignedInUser,
  writer: Writer,
  statuses: Map<number, number>,
  isStopped: { now: boolean },
) {
  while (!isStopped.now) {
    writer.sent += 1
    const number = writer.sent
    const { status } = await me.send('PATCH', `/v3/user/me/collections/${writer.id}`, {
      description: String(number),
    })
    count(statuses, status)
    if (status === 200) writer.acknowledged = number
    else await sleep(20)
  }
}

/**
 * Promotes the standby while the writers continue, and waits until each has written again. Asserts that this does not
 * take long, and that the change feed begins an epoch.
 */
async function promote(t: TestContext, { standby, writers, service, feed }: Stage) {
  await asAdmin(standby.url, 'select pg_promote()')
  const promotedAt = performance.now()
  const elapsed = () => Math.round(performance.now() - promotedAt)
  const before = writers.writers.map(({ acknowledged }) => acknowledged)
  while (writers.writers.some(({ acknowledged }, at) => acknowledged === before[at])) {
    assert.ok(elapsed() < MAX_WRITE_MS, `no write of each writer within ${elapsed()} ms`)
    await sleep(5)
  }
  t.diagnostic(`each writer has written ${elapsed()} ms after the promotion`)
  await writers.writeMore()

  await sql`update galgames set origin_title = 'After the promotion'`.execute(service.db)
  const next = await nextFeedState(standby, feed.latest)
  assert.notEqual(next.epoch, feed.epoch)
  assert.ok(next.latest > feed.latest + MIN_SKIPPED_IDS, `${next.latest} after ${feed.latest}`)
}

/** Waits until the change feed has a change after the given one. Returns the epoch and the latest change. */
async function nextFeedState({ url }: PostgresServer, since: number) {
  let state = { epoch: '', latest: 0 }
  await eventually(async () => {
    const [row] = await queryOnce(
      databaseAt(url, 'mokuroku'),
      'select epoch, (select coalesce(max(id), 0) from catalog_changes) as latest from feed_state',
    )
    state = { epoch: String(row?.['epoch']), latest: Number(row?.['latest']) }
    return state.latest > since
  }, 'a change in the feed')
  return state
}

/** Asserts that no acknowledged write is missing, and that every response was 200 or 503. */
async function assertNothingLost(t: TestContext, { standby, writers }: Stage) {
  await writers.stop()
  t.diagnostic(`responses: ${[...writers.statuses].map((pair) => pair.join(' × ')).join(', ')}`)
  assert.deepEqual([...new Set([...writers.statuses.keys(), 503])].toSorted(), [200, 503])
  const rows = await queryOnce(
    databaseAt(standby.url, 'mokuroku'),
    'select id::text, description from collections',
  )
  const stored = new Map(rows.map(({ id, description }) => [Number(id), Number(description)]))
  for (const { id, acknowledged, sent } of writers.writers) {
    const found = stored.get(id) ?? 0
    assert.ok(found >= acknowledged, `${found} is stored, ${acknowledged} was acknowledged`)
    assert.ok(found <= sent)
  }
}

describe(
  'a service with a primary and a synchronous standby',
  { skip: process.env['DATABASE_URL'] !== undefined, timeout: 2 * LIMIT_MS },
  () => {
    for (let run = 1; run <= RUNS; run += 1) {
      it(`loses no acknowledged write if the primary is killed (${run})`, async (t) => {
        const on = await startStage()
        await on.writers.writeMore()
        signalTree(on.primary.pid, 'SIGKILL')
        await promote(t, on)
        await assertNothingLost(t, on)
        assert.equal((await on.service.get('/health/ready')).status, 200)
      })

      it(`leaves a frozen primary, and stays away after it resumes (${run})`, async (t) => {
        const on = await startStage()
        await on.writers.writeMore()
        signalTree(on.primary.pid, 'SIGSTOP')
        try {
          await promote(t, on)
        } finally {
          signalTree(on.primary.pid, 'SIGCONT')
        }
        await on.writers.writeMore()
        // Backends that wait for the standby do not notice that their client has disconnected.
        const ofService = `select from pg_stat_activity
          where datname = 'mokuroku' and application_name = 'mokuroku' and wait_event is distinct from 'SyncRep'`
        await eventually(
          async () => (await queryOnce(on.primary.url, ofService)).length === 0,
          'the service has left the former primary',
        )
        // A new process finds both hosts, with the former primary first.
        const { db, close } = await openDatabase({ databaseUrl: on.databaseUrl, dataDir: '' })
        const { rows } = await sql<{ port: number }>`select inet_server_port() as port`.execute(db)
        await close()
        assert.equal(rows[0]?.port, Number(new URL(on.standby.url).port))
        await assertNothingLost(t, on)
      })
    }
  },
)
