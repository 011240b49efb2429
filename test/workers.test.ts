import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { eventually } from '#test/browser.ts'
import { childProcesses, isRunning } from '#test/child-processes.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { isConnectionRefused } from '#test/is-connection-refused.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { freePort } from '#test/free-port.ts'
import { mokuroku, startMokuroku, temporaryFolder, type Program } from '#test/program.ts'
import { sendApiRequest, signIn } from '#test/user-api.ts'
import { startService, type TestApp } from '#test/service.ts'

const DETAIL = '/v3/galgames/1'

type WorkerResponse = { status: number; body: string; headers: IncomingHttpHeaders; worker: string }

describe('a service with two workers', () => {
  let database: TestDatabase
  let port: number
  let program: Program
  /** Tokens: of an app with the default limit, of an app with a limit that is never reached, and of a user. */
  let token: string
  let freeToken: string
  let readerToken: string
  let app: TestApp

  before(async () => {
    database = await createDatabase('server', 'sample')
    // Creates the fixtures, on the port that the workers will use.
    const maker = await startService({ database })
    port = maker.config.port
    token = await maker.token()
    freeToken = await maker.token('catalog:full', { requestsPerMinute: 1_000_000 })
    readerToken = (await signIn(maker, { scope: 'status:write' })).token
    app = await maker.createApp()
    await maker.close()
    await start()
  })
  after(async () => {
    await program.end()
    await database.remove()
  })

  async function start() {
    program = startMokuroku(['serve', '--no-demo'], {
      environment: {
        HOST: '127.0.0.1',
        PORT: String(port),
        DATABASE_URL: database.databaseUrl,
        DATA_DIR: database.dataDir,
        DATABASE_POOL_SIZE: '4',
        FAILED_AUTHENTICATIONS_PER_MINUTE: '20',
        TOKEN_REQUESTS_PER_MINUTE: '10',
        WORKERS: '2',
      },
    })
    await program.waitForOutput('mokuroku listens')
  }

  /** Sends a request on its own connection. The prefix of the request id identifies the worker. */
  async function send(bearer: string, path = DETAIL): Promise<WorkerResponse> {
    const headers = { authorization: `Bearer ${bearer}` }
    const request = get({ host: '127.0.0.1', port, path, agent: false, headers })
    const [response] = await once(request, 'response')
    const worker = String(response.headers['x-request-id']).split('-')[0] ?? ''
    return {
      status: response.statusCode,
      body: await text(response),
      headers: response.headers,
      worker,
    }
  }

  /** Returns the response of each worker. */
  async function sendToBoth(): Promise<Map<string, WorkerResponse>> {
    const responses = new Map<string, WorkerResponse>()
    await eventually(async () => {
      const response = await send(freeToken)
      responses.set(response.worker, response)
      return responses.size === 2
    }, 'an answer of each worker')
    return responses
  }

  async function storm(count: number, send: () => Promise<{ status: number; worker: string }>) {
    const responses = await Promise.all(Array.from({ length: count }, send))
    const statuses: Record<number, number> = {}
    for (const { status } of responses) statuses[status] = (statuses[status] ?? 0) + 1
    return { statuses, workers: new Set(responses.map(({ worker }) => worker)).size }
  }

  /** Rates the work as the user, and waits until both workers publish the rating. */
  async function rateAndSee(score: number) {
    const { status } = await sendApiRequest(`http://127.0.0.1:${port}`, {
      token: readerToken,
      method: 'PUT',
      path: `/v3/user/me/rates/galgames/1`,
      body: { status: 'COMPLETED', rate: score },
    })
    assert.ok(status < 300, String(status))
    await eventually(async () => {
      const responses = await sendToBoth()
      return [...responses.values()].every(({ body }) => scoreIn(body) === score)
    }, 'the score at both workers')
  }

  const scoreIn = (body: string) => {
    // as: the detail of a galgame (§2)
    const { data } = JSON.parse(body) as { data: { rating: { score: number } } }
    return data.rating.score
  }

  const linesWith = (part: string) =>
    `${program.output()}${program.errors()}`.split('\n').filter((line) => line.includes(part))
  const leader = () => {
    const [line] = linesWith('A worker runs the periodic tasks').toReversed()
    // as: a line of the log
    return JSON.parse(line ?? '{}') as { pid?: number }
  }

  it('serves requests from both workers, and prints its URL once', async () => {
    await sendToBoth()
    assert.equal(linesWith('mokuroku listens on').length, 1)
    assert.equal(linesWith('"msg":"Listening"').length, 1)
    assert.equal(childProcesses(program.child.pid).length, 2)
  })

  it('enforces the exact limit across both workers under load', async () => {
    assert.deepEqual(await storm(150, () => send(token)), {
      statuses: { 200: 60, 429: 90 },
      workers: 2,
    })
    const refused = await send(token)
    assert.equal(refused.headers['x-ratelimit-remaining'], '0')
    assert.ok(Number(refused.headers['retry-after']) >= 1)
  })

  it('counts rejected tokens and token requests per IP address across both workers', async () => {
    assert.deepEqual((await storm(50, () => send('bad'))).statuses, { 401: 20, 429: 30 })
    const authorization = `Basic ${Buffer.from(`${app.clientId}:${app.secret}`).toString('base64')}`
    const { statuses } = await storm(30, async () => {
      const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'catalog:full' })
      const headers = { authorization, connection: 'close' }
      const { status } = await fetch(`http://127.0.0.1:${port}/oidc/token`, {
        method: 'POST',
        headers,
        body,
      })
      return { status, worker: '' }
    })
    assert.deepEqual(statuses, { 200: 10, 429: 20 })
  })

  it('shows a change made through one worker in responses of the other, even if both had cached them', async () => {
    for (const { body } of (await sendToBoth()).values()) assert.equal(scoreIn(body), 0)
    await rateAndSee(7)
  })

  it('replaces a killed worker and hands over its periodic tasks, even with a newer schema', async () => {
    const earlier = await sendToBoth()
    await withTestDatabase(database, (db) =>
      db.insertInto('migrations').values({ name: '9001_next', hash: 'none' }).execute(),
    )
    const { pid: killed } = leader()
    assert.ok(killed)
    process.kill(killed, 'SIGKILL')
    await program.waitForOutput('A worker has exited; starting another')
    await eventually(async () => leader().pid !== killed, 'another leader')
    await program.waitForOutput('A worker has replaced one that exited')
    await rateAndSee(9)
    const responses = await sendToBoth()
    assert.equal([...responses.keys()].filter((worker) => earlier.has(worker)).length, 1)
    assert.equal(childProcesses(program.child.pid).length, 2)
    await withTestDatabase(database, (db) =>
      db.deleteFrom('migrations').where('name', '=', '9001_next').execute(),
    )
  })

  for (const [signal, lostWorkers] of [
    ['SIGTERM', 1],
    ['SIGHUP', 0],
  ] as const)
    it(`exits with 0 on ${signal} after finishing requests in flight`, async () => {
      // The first signal stops the service of the tests above, which lost a worker.
      if (lostWorkers === 0) await start()
      const workers = childProcesses(program.child.pid)
      const slow = connect(port, '127.0.0.1')
      const body = '{"rate":5}'
      slow.write(
        `PUT /v3/user/me/rates/galgames/1 HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${readerToken}\r\n` +
          `content-type: application/json\r\nexpect: 100-continue\r\ncontent-length: ${body.length}\r\n\r\n`,
      )
      await once(slow, 'data')
      // Signals the whole process group, like a terminal and many supervisors.
      const ended = program.end(signal)
      await program.waitForOutput(`${signal}: finishing the requests in flight`)
      await eventually(() => isConnectionRefused(port), 'a refusal of new connections')
      const response = text(slow)
      slow.write(body)
      assert.match(await response, /^HTTP\/1\.1 200 /)
      const { status } = await ended
      assert.equal(status, 0)
      assert.equal(linesWith('"msg":"Stopped"').length, 1)
      assert.equal(linesWith('A worker has exited').length, lostWorkers)
      assert.deepEqual(workers.filter(isRunning), [])
    })

  it('leaves no worker behind when its primary is killed', async () => {
    await start()
    const workers = childProcesses(program.child.pid)
    assert.equal(workers.length, 2)
    program.child.kill('SIGKILL')
    await eventually(async () => !workers.some(isRunning), 'the end of all workers')
    assert.ok(await isConnectionRefused(port))
  })
})

describe('several workers that cannot start', () => {
  const { path, remove } = temporaryFolder()
  after(remove)
  const startOutput = async (environment: NodeJS.ProcessEnv) => {
    const { status, output, errors } = await mokuroku(['serve', '--no-demo'], {
      environment: { DATA_DIR: path, PORT: '0', WORKERS: '2', ...environment },
    })
    return { status, output, errors }
  }

  it('are rejected with advice if they use the embedded database', async () => {
    assert.deepEqual(await startOutput({}), {
      status: 2,
      output: '',
      errors:
        'WORKERS is 2, but the embedded database supports only one process: set DATABASE_URL to a PostgreSQL server, or WORKERS to 1.\n',
    })
  })

  it('report the reason once if no database is listening', async () => {
    const closed = await freePort()
    assert.deepEqual(
      await startOutput({ DATABASE_URL: `postgres://user@127.0.0.1:${closed}/database` }),
      {
        status: 1,
        output: '',
        errors: `The database in DATABASE_URL cannot be reached: connect ECONNREFUSED 127.0.0.1:${closed}\n`,
      },
    )
  })
})
