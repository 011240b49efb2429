import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { eventually } from '#test/browser.ts'
import { importRecords } from '#test/catalog.ts'
import { childProcesses, signalTree } from '#test/child-processes.ts'
import { createServerDatabase, databaseAt, asAdmin, type TestDatabase } from '#test/databases.ts'
import { codesOf, examineInstallation } from '#test/examination.ts'
import { startFaultyProxy } from '#test/faulty-proxy.ts'
import { startPostgres, startStandby } from '#test/postgres.ts'
import { removeFolder, scratchFolder } from '#test/scratch-folder.ts'
import { startService, type TestService } from '#test/service.ts'
import { sourceRecords } from '#test/source-records.ts'
import { signInCookie } from '#test/signed-in-page.ts'
import { signIn, type ApiResponse, type SignedInUser } from '#test/user-api.ts'
import type { ReplicaFault } from '../src/db/replicas/judge.ts'
import { openDatabase, type Database } from '../src/db/database.ts'
import { signal } from '../src/db/upkeep/signals.ts'
import { numberVariable } from '#test/number-variables.ts'

/** Number of writes during the load, over all phases. */
const WRITES = numberVariable('REPLICA_WRITES') ?? 90
/** Maximum duration, in milliseconds, of the load on a slow machine. */
const LIMIT_MS = WRITES * 1_000 + 240_000
/** Entry that the writer updates. Users rate a different one. */
const ENTRY = { id: 1, vndbId: 'v1' }
/** Number of consecutive failures after which the test fails. On a busy machine, some statements get no connection. */
const MAX_FAILURES = 10
const RATED_PATH = '/v3/user/me/rates/galgames/2'
const NAME = 'mokuroku'

let closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.toReversed()) await close()
  closers = []
})

/**
 * Starts a primary, a standby behind a proxy, and two services that use both. The second service also uses another
 * standby.
 */
async function startStage() {
  const primary = await startPostgres()
  closers.push(primary.stop)
  await createServerDatabase(primary.url, NAME)
  const dataDir = scratchFolder('test')
  closers.push(() => removeFolder(dataDir))
  const database: TestDatabase = {
    databaseUrl: databaseAt(primary.url, NAME),
    dataDir,
    remove: async () => {},
  }
  const standby = { now: await startStandby(primary) }
  closers.push(() => standby.now.stop())
  const proxy = await startFaultyProxy(databaseAt(standby.now.url, NAME))
  closers.push(proxy.close)
  const healthy = await startStandby(primary)
  closers.push(healthy.stop)
  const start = async (...urls: string[]) => {
    const environment = { DATABASE_REPLICA_URLS: urls.join(',') }
    const service = await startService({ database, environment })
    closers.push(service.close)
    return service
  }
  const service = await start(proxy.url)
  // Imports a few records instead of the sample, whose import takes longer than the load.
  await importRecords(service.db, 'vndb', [
    sourceRecords.galgame(ENTRY.vndbId, { dev_status: 'RELEASED' }),
    sourceRecords.galgame('v2'),
  ])
  const withTwoReplicas = await start(proxy.url, databaseAt(healthy.url, NAME))
  /** Replaces the standby with a new one. */
  async function replaceStandby() {
    await standby.now.stop()
    standby.now = await startStandby(primary)
    proxy.redirect(databaseAt(standby.now.url, NAME))
    proxy.reset()
  }
  return { database, service, withTwoReplicas, primary, standby, proxy, replaceStandby }
}

const faultOf = ({ server }: TestService) => server.replicas.states()[0]?.fault
const waitForFault = (service: TestService, fault: ReplicaFault | undefined) =>
  eventually(async () => faultOf(service) === fault, `that the replica is ${fault ?? 'used'}`)

/** Returns the last error in a service's log, which explains a failed request. */
const lastErrorOf = ({ logged }: TestService) =>
  JSON.stringify(logged.findLast(({ level }) => Number(level) >= 50))

/** Waits until a replica has run another read. */
async function waitForReads({ server }: TestService) {
  const { counts } = server.replicas
  const before = counts.replica
  await eventually(async () => counts.replica > before, 'that a replica answers')
}

/** Endpoint whose response contains the last written version. */
type Source = {
  name: string
  /** False if the response may come from a cache and be a second old. */
  isCurrent: boolean
  read: () => Promise<{ status: number; version: number }>
}

/** Returns false if a standby ended a statement that needed rows that the primary removed. Rethrows other errors. */
function rethrowUnlessRecoveryConflict(error: unknown) {
  if (error instanceof Error && 'code' in error && error.code === '40001') return false
  throw error
}

const versionIn = (text: string) => Number(/Version (\d+)/.exec(text)?.[1] ?? -1)

/** Writes and reads until stopped, and records wrong responses. */
class Storm {
  readonly #db: Database
  #isOver = false
  /** Number of acknowledged writes. */
  written = 0
  reads = 0
  /** Number of ratings that a user wrote and read back. */
  rated = 0
  /** Number of requests for ratings that got 503. They run only on the primary. */
  refused = 0
  readonly wrong = {
    /** Responses that lack a write acknowledged before the request. */
    missed: [] as string[],
    /** Responses older than an earlier response to the same reader. */
    older: [] as string[],
    ownMissed: [] as string[],
    failed: [] as string[],
  }

  /** @param db database that no service uses, so that writes do not wait for its connections */
  constructor(db: Database) {
    this.#db = db
  }

  stop() {
    this.#isOver = true
  }

  /** Writes the entry's title and a count, as an import and a rating would. */
  async write() {
    const version = this.written + 1
    const title = `Version ${version}`
    await this.#db.transaction().execute(async (trx) => {
      await sql`update galgames set origin_title = ${title}, trans_title = ${title} where id = ${ENTRY.id}`.execute(
        trx,
      )
      await sql`
        insert into rating_counts (work_id, field, value, amount) values (${ENTRY.id}, 'status', 'PLAN', ${version})
        on conflict (work_id, field, value) do update set amount = excluded.amount`.execute(trx)
      await signal(trx, 'catalog')
    })
    this.written = version
  }

  /** Writes until stopped. Repeats a write that got no response, which changes nothing if it was committed. */
  async keepWriting() {
    let failures = 0
    while (!this.#isOver)
      try {
        await this.write()
        failures = 0
      } catch (error) {
        failures += 1
        if (failures === MAX_FAILURES) throw error
        await sleep(1_000)
      }
  }

  /** Reads the sources in turn, and checks that no response misses a write or goes back. */
  async read(sources: Source[]) {
    const newest = new Map<string, number>()
    for (let turn = 0; !this.#isOver; turn += 1) {
      const source = sources[turn % sources.length]
      if (!source) return
      const floor = this.written
      const { status, version } = await source.read()
      this.reads += 1
      const { name, isCurrent } = source
      const key = isCurrent ? '' : name
      const seen = newest.get(key) ?? 0
      if (status !== 200 || Number.isNaN(version)) this.wrong.failed.push(`${name}: ${status}`)
      else if (isCurrent && version < floor)
        this.wrong.missed.push(`${name}: ${version} after ${floor} was written`)
      else if (version < seen) this.wrong.older.push(`${name}: ${version} after ${seen}`)
      newest.set(key, Math.max(seen, version))
    }
  }

  /** Repeats a request that gets 503, like a write that fails, so that load alone cannot fail the test. */
  async #sendAgain(send: () => Promise<ApiResponse>): Promise<ApiResponse> {
    for (let failures = 1; ; failures += 1) {
      const response = await send()
      if (response.status !== 503 || failures === MAX_FAILURES) return response
      this.refused += 1
      await sleep(1_000)
    }
  }

  /** Rates, and reads the rating back. */
  async rate(me: SignedInUser) {
    for (let turn = 0; !this.#isOver; turn += 1) {
      const rate = 1 + (turn % 10)
      const put = await this.#sendAgain(() => me.send('PUT', RATED_PATH, { rate }))
      const found = await this.#sendAgain(() => me.send('GET', RATED_PATH))
      this.rated += 1
      if (put.status !== 200 || found.status !== 200)
        this.wrong.failed.push(`rating: ${put.status}, ${found.status}`)
      else if (found.data.rate !== rate)
        this.wrong.ownMissed.push(`${found.data.rate} after ${rate}`)
    }
  }
}

async function sourcesOf(
  { url, get }: TestService,
  token: string,
  cookie: string,
): Promise<Source[]> {
  const source = (
    name: string,
    path: string,
    isCurrent: boolean,
    versionOf: (text: string) => number,
  ): Source => ({
    name: `${name} at ${url}`,
    isCurrent,
    async read() {
      const isPage = !path.startsWith('/v3/')
      const response = isPage
        ? await get(path, undefined, { accept: 'text/html', cookie })
        : await get(path, token)
      const text = await response.text()
      return { status: response.status, version: versionOf(text) }
    },
  })
  return [
    source('lookup', `/v3/lookup?source=vndb&id=${ENTRY.vndbId}`, true, versionIn),
    source('list', '/v3/galgames?page_size=100', true, versionIn),
    source('filtered list', '/v3/galgames?status=RELEASED', true, versionIn),
    source('statistics', `/v3/galgames/${ENTRY.id}/rates/statistics`, true, (text) =>
      Number(/"PLAN":(\d+)/.exec(text)?.[1]),
    ),
    source('page', '/galgames', true, versionIn),
    source('search', '/v3/search?q=Version', false, versionIn),
    source('detail', `/v3/galgames/${ENTRY.id}`, false, versionIn),
  ]
}

const skip = process.env['DATABASE_URL'] !== undefined

describe('reads from a replica', { skip, timeout: LIMIT_MS }, () => {
  it(
    'never miss an acknowledged write, never go back and never fail, whatever happens to the replica',
    { timeout: LIMIT_MS },
    async (context) => {
      const stage = await startStage()
      const { database, service, withTwoReplicas, standby, proxy, replaceStandby } = stage
      const services = [service, withTwoReplicas]
      const { db, close } = await openDatabase({ ...database, databasePoolSize: 2 })
      closers.push(close)
      const storm = new Storm(db)
      const sources: Source[] = []
      for (const one of services)
        sources.push(
          ...(await sourcesOf(one, await one.token(), await signInCookie(one, { nsfw: true }))),
        )
      // Tokens contain the URL, and each service has a separate port.
      const users = await Promise.all(services.map((one) => signIn(one)))
      for (const one of services) await waitForFault(one, undefined)

      // In another database, so that statements rarely conflict with recovery.
      const onStandby = (text: string) =>
        eventually(
          () => asAdmin(standby.now.url, text).then(() => true, rethrowUnlessRecoveryConflict),
          `that the standby runs ${text}`,
        )
      const isUsed = () => Promise.all(services.map(waitForReads))
      const phases: Record<string, () => Promise<unknown>> = {
        'no fault': isUsed,
        async paused() {
          await onStandby('select pg_wal_replay_pause()')
          await writesDuringFault()
          await onStandby('select pg_wal_replay_resume()')
        },
        async lagging() {
          await onStandby(`alter system set recovery_min_apply_delay = '150ms'`)
          await onStandby('select pg_reload_conf()')
          await writesDuringFault()
          await onStandby('alter system reset recovery_min_apply_delay')
          await onStandby('select pg_reload_conf()')
        },
        async frozen() {
          const { pid } = standby.now
          signalTree(pid, 'SIGSTOP')
          await waitForFault(service, 'silent')
          await writesDuringFault()
          signalTree(pid, 'SIGCONT')
        },
        /** The standby restarts, and may be back at an earlier position. */
        async crashed() {
          const [child = 0] = childProcesses(standby.now.pid)
          process.kill(child, 'SIGKILL')
          await writesDuringFault()
        },
        async cut() {
          proxy.cut()
          await waitForFault(service, 'silent')
          await writesDuringFault()
          proxy.restore()
        },
        async promoted() {
          await onStandby('select pg_promote()')
          await asAdmin(
            databaseAt(standby.now.url, NAME),
            `update galgames set origin_title = 'Version 0', trans_title = 'Version 0'`,
          )
          await waitForFault(service, 'promoted')
          const results = await examineInstallation({
            database,
            environment: { DATABASE_REPLICA_URLS: proxy.url },
          })
          assert.deepEqual(codesOf(results, 'replicas'), ['warning replicas.promoted'])
          await writesDuringFault()
          await replaceStandby()
        },
        async killed() {
          process.kill(standby.now.pid ?? 0, 'SIGKILL')
          await writesDuringFault()
          await replaceStandby()
        },
      }
      const perPhase = Math.ceil(WRITES / Object.keys(phases).length)
      /** Waits for the share of writes of one phase. */
      const writes = async () => {
        const end = storm.written + perPhase
        while (storm.written < end && storm.wrong.failed.length <= 20) await sleep(20)
      }
      /** Waits until a replica has answered, too. */
      const writesDuringFault = async () => {
        await writes()
        await waitForReads(withTwoReplicas)
      }

      await storm.write()
      for (const { name, read } of sources)
        await eventually(async () => (await read()).version === 1, `that ${name} shows the entry`)
      const running = [
        storm.keepWriting(),
        ...users.map((user) => storm.rate(user)),
        storm.read(sources),
        storm.read(sources.toReversed()),
        storm.read([...sources.slice(3), ...sources.slice(0, 3)]),
      ]
      try {
        for (const [name, phase] of Object.entries(phases)) {
          await phase()
          await isUsed()
          await writes()
          assert.deepEqual(
            storm.wrong,
            { missed: [], older: [], ownMissed: [], failed: [] },
            `in the phase: ${name}\n${services.map(lastErrorOf).join('\n')}`,
          )
        }
      } finally {
        storm.stop()
        await Promise.allSettled(running)
      }
      await Promise.all(running)
      context.diagnostic(
        `${storm.written} writes, ${storm.rated} ratings, ${storm.refused} requests for them repeated, ${storm.reads} reads: ${JSON.stringify(services.map(({ server }) => server.replicas.counts))}`,
      )
      assert.ok(storm.written >= WRITES)
    },
  )
})
