import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '#test/browser.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { freePort } from '#test/free-port.ts'
import { startMokuroku, startProgram, temporaryFolder, type Program } from '#test/program.ts'
import { haproxy } from '#test/proxy-examples.ts'
import { missingProgram } from '#test/required-programs.ts'
import { sampleWorks } from '#test/sample-works.ts'
import { SeededRandom } from '#test/seeded-random.ts'
import { startService, UNLIMITED } from '#test/service.ts'
import { signIn, type SignedInUser } from '#test/user-api.ts'
import { numberVariable } from '#test/number-variables.ts'

/** Number of kills. The services are killed in turn. */
const KILLS = numberVariable('SERVICE_KILLS') ?? 2
/** Number of users, each of which sends one request at a time. */
const USERS = 8
/** Number of acknowledged writes before and after a kill. */
const BETWEEN_KILLS = 20
const LIMIT_MS = 240_000 + KILLS * 20_000

const ratingPath = (id: number) => `/v3/user/me/rates/galgames/${id}`

/** Users who rate works through the proxy, and read each rating back. */
class Load {
  acknowledged = 0
  /** Number of requests that HAProxy could not repeat: no response, 502, 503 or 504. */
  failed = 0
  /** Other unsuccessful responses. */
  readonly wrong: string[] = []
  /** Reads that lack a write that was acknowledged before. */
  readonly lost: string[] = []
  #isOver = false
  readonly #running: Promise<unknown>

  constructor(users: SignedInUser[], works: number[]) {
    this.#running = Promise.all(users.map((user, at) => this.#run(user, works, at)))
  }

  async #run(me: SignedInUser, works: number[], seed: number) {
    const random = new SeededRandom(seed)
    for (let turn = 0; !this.#isOver; turn += 1) {
      const path = ratingPath(random.pick(works))
      const rate = 1 + (turn % 91) / 10
      const isSaved = await this.#send(me, 'PUT', path, { rate, status: 'GOING' })
      const found = await this.#send(me, 'GET', path)
      if (isSaved && found && found.data.rate !== rate)
        this.lost.push(`${path}: ${found.data.rate} after ${rate}`)
    }
  }

  async #send(me: SignedInUser, method: string, path: string, body?: object) {
    // A connection that HAProxy closes without a response makes `fetch` throw a TypeError.
    const response = await me.send(method, path, body).catch((error: unknown) => {
      if (!(error instanceof TypeError)) throw error
    })
    if (response?.status === 200) {
      if (method === 'PUT') this.acknowledged += 1
      return response
    }
    if (!response || [502, 503, 504].includes(response.status)) this.failed += 1
    else this.wrong.push(`${method} ${path}: ${response.status}`)
    return undefined
  }

  /** Waits for further acknowledged writes. */
  waitForWrites() {
    const enough = this.acknowledged + BETWEEN_KILLS
    return eventually(async () => this.acknowledged >= enough, 'writes are acknowledged')
  }

  async end() {
    this.#isOver = true
    await this.#running
  }
}

describe(
  'one of two services behind HAProxy as in the example, killed with SIGKILL under load',
  { skip: missingProgram('haproxy', 'haproxy'), timeout: LIMIT_MS },
  () => {
    const folder = temporaryFolder()
    let database: TestDatabase
    let users: SignedInUser[]
    let works: number[]
    let publicUrl: string
    let ports: number[]
    let proxy: Program
    const services: Program[] = []

    before(async () => {
      database = await createDatabase('server', 'sample')
      const publicPort = await freePort()
      const maker = await startService({ database, environment: { PORT: String(publicPort) } })
      publicUrl = maker.url
      users = await Promise.all(Array.from({ length: USERS }, () => signIn(maker)))
      works = (await sampleWorks(maker.db)).galgame.slice(0, 6)
      // So that each read finds a rating, even if the write before it failed.
      for (const me of users)
        for (const id of works)
          assert.equal((await me.send('PUT', ratingPath(id), { status: 'PLAN' })).status, 200)
      await maker.close()
      ports = [await freePort(), await freePort()]
      await Promise.all(ports.keys().map(start))
      const file = join(folder.path, 'proxy.conf')
      writeFileSync(file, haproxy(publicPort, ports))
      proxy = startProgram(['haproxy', '-db', '-f', file])
      await eventually(async () => {
        const response = await fetch(`${publicUrl}/health/ready`).catch(() => {})
        await response?.arrayBuffer()
        return response?.ok ?? false
      }, 'HAProxy')
    })
    after(async () => {
      await proxy?.end()
      for (const service of services) await service.end()
      await database?.remove()
      folder.remove()
    })

    async function start(at: number) {
      const program = startMokuroku(['serve', '--no-demo'], {
        environment: {
          HOST: '127.0.0.1',
          PORT: String(ports[at]),
          AUTH_URL: publicUrl,
          DATABASE_URL: database.databaseUrl,
          DATA_DIR: join(folder.path, `data${at}`),
          DATABASE_POOL_SIZE: '6',
          TRUSTED_PROXIES: '1',
          ...UNLIMITED,
        },
      })
      services[at] = program
      await program.waitForOutput('mokuroku listens')
    }

    it(
      'loses no acknowledged write, and fails GET and PUT only with 502, 503, 504 or no response',
      { timeout: LIMIT_MS },
      async (context) => {
        const load = new Load(users, works)
        const random = new SeededRandom(Date.now())
        try {
          for (let kill = 0; kill < KILLS; kill += 1) {
            await load.waitForWrites()
            await sleep(random.below(50))
            const at = kill % services.length
            await services[at]?.end('SIGKILL')
            await load.waitForWrites()
            await start(at)
          }
          await load.waitForWrites()
        } finally {
          await load.end()
        }
        context.diagnostic(`${load.acknowledged} PUTs, ${load.failed} requests failed`)
        assert.deepEqual([load.lost, load.wrong], [[], []])
      },
    )
  },
)
