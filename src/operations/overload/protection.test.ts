import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import pg from 'pg'
import { eventually } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { listenLocally } from '#test/free-port.ts'
import { startService, type TestService } from '#test/service.ts'
import { statementsOf } from '#test/statements.ts'
import { REFUSED_REQUEST } from '../../http/wire/connections.ts'
import { measureHttp } from '../metrics/http-metrics.ts'
import { openMetrics } from '../metrics/registry.ts'
import { MAX_REFUSALS } from './limiter.ts'
import { protectFromOverload } from './protection.ts'

/** Requests that wait for the locked table. More than the limit of an overloaded process with two connections. */
const WAITING = 40

describe('a service whose database does not respond', () => {
  let service: TestService
  let blocker: pg.Client
  let token: string
  let refused = 0

  before(async () => {
    service = await startService({
      engine: 'server',
      environment: { OVERLOAD_PROTECTION: 'on', DATABASE_POOL_SIZE: '2' },
    })
    token = await service.token()
    assert.equal((await service.get('/v3/galgames/1', token)).status, 200)
    service.server.app.server.on(REFUSED_REQUEST, () => (refused += 1))
    blocker = new pg.Client({ connectionString: service.config.databaseUrl })
    await blocker.connect()
  })
  after(async () => {
    await blocker.end()
    await service.close()
  })

  it('refuses requests that have waited too long, still serves what it can, and recovers', async () => {
    await blocker.query('begin; lock table people in access exclusive mode')
    let answered = 0
    const send = async (id: number) => {
      const response = await service.get(`/v3/people/${id}`, token)
      const body = await response.text()
      answered += 1
      return { status: response.status, headers: response.headers, body }
    }
    const waiting = Array.from({ length: WAITING }, (_, at) => send(at + 1))
    const later: ReturnType<typeof send>[] = []
    await eventually(async () => {
      later.push(send(1_000 + later.length))
      await sleep(50)
      return refused > 0
    }, 'a refusal')
    // The others wait for the deadline of a statement.
    assert.ok(answered <= refused, `${answered} answered, ${refused} refused`)
    assert.equal((await service.get('/health/live')).status, 200)
    assert.equal((await service.get('/v3/galgames/1', token)).status, 200, 'a cached response')

    const responses = await Promise.all([...waiting, ...later])
    for (const { status, headers, body } of responses) {
      assert.equal(status, 503)
      assert.ok(Number(headers.get('retry-after')) > 0)
      assert.equal(headers.get('cache-control'), 'no-store')
      const { success, error, request_id } = JSON.parse(body)
      assert.deepEqual([success, error.code], [false, 'COMMON_SERVICE_UNAVAILABLE'])
      assert.equal(request_id, headers.get('x-request-id'))
    }
    assert.ok(service.logged.some(({ msg }) => msg === 'Overloaded: refusing requests'))

    await blocker.query('commit')
    await eventually(async () => {
      const statuses = (await Promise.all(Array.from({ length: WAITING }, () => send(1)))).map(
        ({ status }) => status,
      )
      return statuses.every((status) => status === 200)
    }, 'a service that refuses nothing')
  })
})

describeOnDatabase('a protected service', (engine) => {
  it('loads the details that are requested at the same time with few statements', async (t) => {
    const service = await startService({
      engine,
      environment: { OVERLOAD_PROTECTION: 'on', DATABASE_POOL_SIZE: '1' },
    })
    t.after(() => service.close())
    const token = await service.token()
    const load = (from: number) =>
      Promise.all(
        Array.from({ length: 32 }, async (_, at) => {
          const response = await service.get(`/v3/people/${from + at}`, token)
          await response.arrayBuffer()
        }),
      )
    await load(1_000) // opens the connections
    const statements = await statementsOf(() => load(2_000))
    const { length } = statements.filter(({ sql }) => /\bpeople\b/.test(sql))
    assert.ok(length > 0 && length <= 6, `${length} statements for 32 details`)
  })
})

/** Starts a protected server with a pool of one connection, which counts the requests that it starts. */
async function startProtected(t: TestContext) {
  const started = { count: 0 }
  const server = createServer((_request, response) => {
    started.count += 1
    response.end()
  })
  const protection = protectFromOverload({ poolSize: 1, log: { warn: () => {} } })
  protection.limit(
    server,
    () => false,
    () => 'request',
  )
  const port = await listenLocally(server)
  t.after(() => {
    protection.stop()
    server.close()
  })
  return { port, started, protection, server }
}

describe('a server that is protected from overload', () => {
  it('starts no request while one of several pools is full', async (t) => {
    const { port, started, protection } = await startProtected(t)
    const get = async () => (await fetch(`http://127.0.0.1:${port}/`)).status
    const busy = protection.countWaits()
    const full = protection.countWaits()
    const connected = Promise.withResolvers<void>()
    const wait = () => connected.promise
    const waits = [busy(wait), busy(wait), full(wait), full(wait)]
    assert.equal(await get(), 200, 'two statements wait in each pool')
    waits.push(full(wait))
    assert.equal(await get(), 503)
    assert.equal(started.count, 1)
    connected.resolve()
    await Promise.all(waits)
    assert.equal(await get(), 200)
  })

  it('counts the wait in the duration of a request', async (t) => {
    const app = Fastify()
    const metrics = openMetrics()
    measureHttp(app, metrics)
    app.get('/', async () => 'ok')
    const protection = protectFromOverload({ poolSize: 1, log: { warn: () => {} } })
    protection.limit(
      app.server,
      () => false,
      () => 'request',
    )
    t.after(() => app.close())
    t.after(() => protection.stop())
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const connected = Promise.withResolvers<void>()
    const countWait = protection.countWaits()
    const waits = [1, 2, 3].map(() => countWait(() => connected.promise))
    const response = fetch(url)
    await sleep(300)
    connected.resolve()
    await Promise.all(waits)
    assert.equal((await response).status, 200)
    const durations = (await metrics.collect()).find(
      ({ name }) => name === 'http_server_request_duration_seconds',
    )
    const short = durations?.values.find(({ labels }) => labels['le'] === 0.1)
    assert.equal(short?.value, 0, 'no request took less than a tenth of a second')
  })

  it('does not start requests of clients that have left', async (t) => {
    const { port, started } = await startProtected(t)
    for (let client = 0; client < 20; client += 1) {
      const socket = connect(port, '127.0.0.1').resume()
      socket.end('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
      await once(socket, 'close')
    }
    assert.equal(started.count, 0)
    assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 200)
    assert.equal(started.count, 1)
  })
  it('refuses overdue requests in the same turn, even if many clients before them have left', async (t) => {
    const { port, protection, server } = await startProtected(t)
    let now = performance.now()
    t.mock.method(performance, 'now', () => now)
    const counts = { arrived: 0, left: 0, refused: 0 }
    server.on('connection', (socket) => socket.on('close', () => (counts.left += 1)))
    server.on('request', () => (counts.arrived += 1))
    const connected = Promise.withResolvers<void>()
    const countWait = protection.countWaits()
    const waits = [1, 2, 3].map(() => countWait(() => connected.promise))
    const send = async (count: number) => {
      const expected = counts.arrived + count
      const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1').resume())
      for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
      await eventually(() => counts.arrived === expected, 'the requests')
      return sockets
    }
    const stay = await send(1)
    const leave = await send(MAX_REFUSALS)
    stay.push(...(await send(1)))
    for (const socket of leave) socket.destroy()
    await eventually(() => counts.left === leave.length, 'the end of the connections')
    const refusals = new Promise<number>((resolve) => {
      server.on(REFUSED_REQUEST, () => {
        counts.refused += 1
        // Runs before the next turn of the limiter.
        if (counts.refused === 1) setImmediate(() => resolve(counts.refused))
      })
    })
    now += 600
    assert.equal(await refusals, stay.length)
    for (const socket of stay) socket.destroy()
    connected.resolve()
    await Promise.all(waits)
  })
})
