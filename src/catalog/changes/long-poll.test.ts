import assert from 'node:assert/strict'
import { once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { connect, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { eventually } from '#test/browser.ts'
import { numberAllChanges, readChanges, type ChangesResponse } from '#test/change-feed.ts'
import { createDatabase, describeOnDatabase, type TestDatabase } from '#test/databases.ts'
import { startService, type TestService } from '#test/service.ts'
import { FeedWaiters } from './feed-waiters.ts'

const PATH = '/api/v3/open/catalog/changes'
const SCOPES = 'catalog:sync catalog:read'
/** The longest wait, in seconds. A test that has to wait for its end fails. */
const LONG = 60
const PER_APP = 3
const PER_PROCESS = 5

const rename = (service: TestService) =>
  sql`update people set name = name || '!' where id = 1`.execute(service.db)

/** Returns the position at which nothing is left to read. */
async function endOfFeed(service: TestService, token: string) {
  await numberAllChanges(service.db)
  return (await readChanges(service.url, token)).latest_id
}

/** Starts a request that waits. Repeats it while too many others wait, such as probes of the test. */
function wait(service: TestService, token: string, since: number, seconds = LONG) {
  const leaving = new AbortController()
  const send = async () => {
    for (;;) {
      const response = await fetch(`${service.url}${PATH}?since=${since}&wait=${seconds}`, {
        headers: { authorization: `Bearer ${token}` },
        signal: leaving.signal,
      })
      const { data } = (await response.json()) as { data: ChangesResponse }
      const { status } = response
      if (status !== 429 && status !== 503) return { status, ...data }
      await sleep(50, undefined, { signal: leaving.signal })
    }
  }
  const body = send()
  body.catch(() => {})
  return { body, leave: () => leaving.abort() }
}

const statusOf = async (service: TestService, token: string, query: string) => {
  const response = await service.get(`${PATH}?${query}`, token)
  await response.arrayBuffer()
  return response
}

/** Waits until a further request is refused, which shows that earlier ones wait. */
const untilRefused = async (service: TestService, token: string, since: number, status: number) => {
  await eventually(
    async () => (await statusOf(service, token, `since=${since}&wait=1`)).status === status,
    `a response ${status}`,
  )
}

describeOnDatabase('the change feed with wait', (engine) => {
  let service: TestService
  let token: string
  before(async () => {
    service = await startService({
      engine,
      environment: {
        MAX_WAITING_REQUESTS: String(PER_PROCESS),
        MAX_WAITING_REQUESTS_PER_APP: String(PER_APP),
      },
    })
    token = await service.token(SCOPES)
  })
  after(() => service.close())

  it('responds at once if there are changes after the position', async () => {
    const { items, has_more } = await readChanges(service.url, token, `?since=0&wait=${LONG}`)
    assert.deepEqual([items.length, has_more], [100, true])
  })

  it('responds with a change as soon as it has a number', async () => {
    const since = await endOfFeed(service, token)
    const waiting = wait(service, token, since)
    await rename(service)
    const { status, items } = await waiting.body
    assert.deepEqual(
      [status, items.map(({ resource_type, resource_id }) => [resource_type, resource_id])],
      [200, [['PERSON', 1]]],
    )
  })

  it('responds with an empty page when the wait times out', async () => {
    const since = await endOfFeed(service, token)
    const began = performance.now()
    const { items, latest_id } = await wait(service, token, since, 1).body
    assert.deepEqual([items, latest_id], [[], since])
    assert.ok(performance.now() - began >= 999)
  })

  it('ignores changes that the app does not see', async () => {
    const since = await endOfFeed(service, token)
    const waiting = wait(service, token, since)
    await sql`
      with work as (insert into works (kind, nsfw) values ('galgame', true) returning id)
      insert into galgames (id, origin_title) select id, 'Hidden' from work`.execute(service.db)
    const end = await eventuallyAbove(service, token, since)
    await rename(service)
    const { items } = await waiting.body
    assert.deepEqual([items.length, items[0]?.resource_type], [1, 'PERSON'])
    assert.ok((items[0]?.id ?? 0) > end)
  })

  it('rejects times that are not whole seconds from 0 to 60', async () => {
    for (const value of ['-1', '61', '1.5', 'x'])
      assert.equal((await statusOf(service, token, `since=0&wait=${value}`)).status, 422, value)
    assert.equal((await statusOf(service, token, `since=0&wait=1&wait=2`)).status, 422)
  })

  it('refuses requests above the limit of the app and of the process, until others have left', async () => {
    const since = await endOfFeed(service, token)
    const other = await service.token(SCOPES)
    const own = Array.from({ length: PER_APP }, () => wait(service, token, since))
    await untilRefused(service, token, since, 429)
    const refused = await statusOf(service, token, `since=${since}&wait=1`)
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    const others = Array.from({ length: PER_PROCESS - PER_APP }, () => wait(service, other, since))
    await untilRefused(service, other, since, 503)
    assert.equal((await statusOf(service, token, `since=${since}`)).status, 200, 'without wait')
    assert.equal((await service.get('/v3/people/1', token)).status, 200, 'other requests')

    for (const { leave } of own) leave()
    await eventually(
      async () => (await statusOf(service, token, `since=${since}&wait=1`)).status === 200,
      'room for a request',
    )
    for (const { leave } of others) leave()
  })

  it('returns 401 if the token was revoked during the wait', async () => {
    const app = await service.createApp({ scopes: SCOPES.split(' ') })
    const response = await service.requestToken(app, SCOPES)
    const { access_token } = (await response.json()) as { access_token: string }
    const since = await endOfFeed(service, access_token)
    const { body } = wait(service, access_token, since)
    await sql`update apps set enabled = false where client_id = ${app.clientId}`.execute(service.db)
    await eventually(
      async () => (await statusOf(service, access_token, 'since=0')).status === 401,
      'a rejected token',
    )
    await rename(service)
    assert.equal((await body).status, 401)
  })

  describe('over its connection', () => {
    let since: number
    before(async () => {
      since = await endOfFeed(service, token)
    })

    /** Opens a connection and sends requests in one packet. */
    function send(...requests: string[]) {
      const { hostname, port } = new URL(service.url)
      const socket = connect(Number(port), hostname)
      const head = `host: ${hostname}\r\nauthorization: Bearer ${token}\r\n\r\n`
      socket.write(requests.map((query) => `GET ${PATH}?${query} HTTP/1.1\r\n${head}`).join(''))
      return socket
    }
    const waitingQuery = () => `since=${since}&wait=2`

    it('closes the connection after the response', async () => {
      const received = await text(send(waitingQuery()))
      assert.match(received, /^HTTP\/1\.1 200 .*^connection: close\r$.*"items":\[\]/ims)
    })

    it('ignores whatever the client sends during the wait', async () => {
      const socket = send(waitingQuery())
      await sleep(500)
      socket.write(`GET ${PATH} HTTP/1.1\r\n\r\nnot HTTP`)
      const received = await text(socket)
      assert.match(received, /^HTTP\/1\.1 200 /)
      assert.equal(received.split('HTTP/1.1 ').length, 2)
    })

    it('responds to the requests that were sent with it, in their order', async () => {
      const socket = send(waitingQuery(), 'limit=1', 'limit=2')
      const statuses: string[] = []
      for await (const chunk of socket.setEncoding('utf8')) {
        // as: the encoding is set
        statuses.push(...((chunk as string).match(/HTTP\/1\.1 \d+/g) ?? []))
        if (statuses.length === 3) break
      }
      assert.deepEqual(statuses, ['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 200'])
    })

    it('frees its place when the client leaves or ends its side', async () => {
      const leave = [
        (socket: Socket) => socket.end(),
        (socket: Socket) => socket.destroy(),
        (socket: Socket) => socket.resetAndDestroy(),
      ]
      for (const part of leave) {
        const query = `since=${since}&wait=${LONG}`
        const sockets = Array.from({ length: PER_APP + 1 }, () => send(query))
        const refused = await Promise.race(sockets.map((socket) => once(socket, 'data')))
        assert.match(String(refused[0]), /^HTTP\/1\.1 429 /)
        const left = performance.now()
        for (const socket of sockets) part(socket)
        await eventually(
          async () => (await statusOf(service, token, `since=${since}&wait=1`)).status === 200,
          'room for a request',
        )
        assert.ok(performance.now() - left < (LONG * 1_000) / 2, 'not only when the wait ends')
      }
    })
  })

  it('ends when the service drains', async () => {
    const since = await endOfFeed(service, token)
    const own = Array.from({ length: PER_APP }, () => wait(service, token, since))
    await untilRefused(service, token, since, 429)
    service.server.beginDrain()
    for (const { body } of own) assert.deepEqual((await body).items, [])
    const { items } = await wait(service, token, since).body
    assert.deepEqual(items, [], 'a later request does not wait')
  })
})

/** Waits until the feed has a change after a position. @returns the position of that change */
async function eventuallyAbove(service: TestService, token: string, since: number) {
  let latest = since
  await eventually(async () => {
    latest = (await readChanges(service.url, token)).latest_id
    return latest > since
  }, 'a change')
  return latest
}

describe('two services with one database', () => {
  let database: TestDatabase
  let services: TestService[]
  before(async () => {
    database = await createDatabase('server', 'sample')
    services = await Promise.all([
      startService({ engine: 'server', database }),
      startService({ engine: 'server', database }),
    ])
  })
  after(async () => {
    await Promise.all(services.map((service) => service.close()))
    await database.remove()
  })

  it('both respond to a change by one of them', async () => {
    const [one, other] = services
    assert.ok(one && other)
    const tokens = await Promise.all([one.token(SCOPES), other.token(SCOPES)])
    const since = await endOfFeed(one, tokens[0])
    const waiting = [wait(one, tokens[0], since), wait(other, tokens[1], since)]
    await rename(one)
    for (const { body } of waiting) assert.equal((await body).items.length, 1)
  })
})

describe('FeedWaiters', () => {
  const connection = () => new ServerResponse(new IncomingMessage(new Socket()))

  it('read a page once for all requests that wait for it', async () => {
    const waiters = new FeedWaiters<string[]>({ perProcess: 100, perApp: 100 })
    let changes: string[] = []
    let reads = 0
    const read = (page: string) =>
      waiters.read(
        { clientId: 'app', waitMs: LONG * 1_000, response: connection(), page },
        async () => {
          reads += 1
          return changes
        },
        (found) => found.length > 0,
      )
    const all = Array.from({ length: 50 }, (_, index) => read(index < 40 ? 'a' : 'b'))
    await new Promise((resolve) => void setImmediate(resolve))
    assert.deepEqual([reads, waiters.size], [50, 50])
    waiters.wake()
    await eventually(async () => reads === 52, 'two reads')
    assert.equal(waiters.size, 50)
    changes = ['change']
    waiters.wake()
    for (const { page, waited } of await Promise.all(all))
      assert.deepEqual([page, waited], [['change'], true])
    assert.deepEqual([reads, waiters.size], [54, 0])
  })

  it('do not miss a change during the first read', async () => {
    const waiters = new FeedWaiters<string[]>({ perProcess: 1, perApp: 1 })
    let reads = 0
    const { page } = await waiters.read(
      { clientId: 'app', waitMs: LONG * 1_000, response: connection(), page: '' },
      async () => {
        reads += 1
        if (reads > 1) return ['change']
        waiters.wake()
        return []
      },
      (found) => found.length > 0,
    )
    assert.deepEqual(page, ['change'])
  })
})
