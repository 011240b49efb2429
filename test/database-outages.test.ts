import assert from 'node:assert/strict'
import dns from 'node:dns'
import { afterEach, describe, it, mock } from 'node:test'
import { startFaultyProxy, type FaultyProxy } from '#test/faulty-proxy.ts'
import { authorizationRequest, createClient } from '#test/authorization.ts'
import { eventually, PlainBrowser } from '#test/browser.ts'
import {
  asAdmin,
  createDatabase,
  createServerDatabase,
  databaseAt,
  type TestDatabase,
} from '#test/databases.ts'
import { startPostgres, startStandby } from '#test/postgres.ts'
import { waitForTotals } from '#test/ratings.ts'
import { signIn, type SignedInUser } from '#test/user-api.ts'
import { removeFolder, scratchFolder } from '#test/scratch-folder.ts'
import { startService, type TestApp, type TestService } from '#test/service.ts'
import { signInCookie } from '#test/signed-in-page.ts'

const HTML = { accept: 'text/html', 'accept-language': 'en' }

/** A service whose database connection can fail, with its users. */
type Stage = {
  service: TestService
  proxy: FaultyProxy
  app: TestApp
  me: SignedInUser
  /** Session cookie of a signed-in user. */
  cookie: string
  /** An authorization request in progress. */
  interaction: { path: string; cookie: string }
}

let closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  mock.restoreAll()
  for (const close of closers.toReversed()) await close()
  closers = []
})

/** @param host host name of the database in the service's settings */
async function startStage(
  existing?: TestDatabase,
  host = '127.0.0.1',
): Promise<Stage & { database: TestDatabase }> {
  const database = existing ?? (await createDatabase('server', 'sample'))
  const proxy = await startFaultyProxy(database.databaseUrl ?? '')
  const url = new URL(proxy.url)
  url.hostname = host
  const service = await startService({ database: { ...database, databaseUrl: url.href } })
  closers.push(database.remove, proxy.close, service.close)
  const app = await createClient(service)
  const me = await signIn(service)
  const cookie = await signInCookie(service, { nsfw: false })
  const interaction = await beginSignIn(service, app)
  return { service, proxy, app, me, cookie, interaction, database }
}

async function beginSignIn(service: TestService, app: TestApp) {
  const browser = new PlainBrowser(service.url)
  const { url } = await browser.get(authorizationRequest(app).path)
  const path = `/interaction/${new URL(url, service.url).searchParams.get('interaction') ?? ''}`
  return { path, cookie: browser.cookieHeader(path) }
}

const USAGE_NOT_WRITTEN = 'Could not write the usage of apps; retrying'

/** Returns the status of each stored rejection. */
const refusedOf = async ({ service }: Stage) =>
  (await service.db.selectFrom('refused_requests').select('status').execute()).map(
    ({ status }) => status,
  )

const rate = (me: SignedInUser, score = 8) =>
  me.send('PUT', '/v3/user/me/rates/galgames/1', { rate: score })

/** Sends each interface a request that needs the database. */
const sendAll = ({
  service,
  app,
  me,
  cookie,
  interaction,
}: Stage): Record<string, () => Promise<Response>> => ({
  api: () =>
    fetch(`${service.url}/v3/user/me/rates/galgames/1`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${me.token}`, 'content-type': 'application/json' },
      body: '{"rate": 7}',
    }),
  authorization: () => service.get(authorizationRequest(app).path, undefined, { ...HTML, cookie }),
  'authorization without an account': () =>
    service.get(authorizationRequest(app).path, undefined, HTML),
  token: () =>
    fetch(`${service.url}/oidc/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${app.clientId}:${app.secret}`).toString('base64')}`,
      },
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'unknown' }),
    }),
  page: () => service.get('/library', undefined, { ...HTML, cookie }),
  'page of a sign-in under way': () =>
    service.get(interaction.path, undefined, { ...HTML, cookie: interaction.cookie }),
  readiness: () => service.get('/health/ready'),
})

/** @param except interfaces that still work in this state of the database */
async function assertUnavailable(on: Stage, except: string[] = []) {
  for (const [name, send] of Object.entries(sendAll(on))) {
    if (except.includes(name)) continue
    const { status, headers } = await send()
    assert.deepEqual([name, status, Number(headers.get('retry-after')) >= 1], [name, 503, true])
  }
}

describe('a service whose database is read-only', () => {
  it('returns 503, is not ready, and writes again once a new connection is writable', async () => {
    const on = await startStage()
    const { hostname, port, pathname } = new URL(on.database.databaseUrl ?? '')
    const admin = `postgres://postgres@${hostname}:${port}/postgres`
    const name = pathname.slice(1)
    assert.equal((await rate(on.me)).status, 200)
    await asAdmin(admin, `alter database "${name}" set default_transaction_read_only = on`)
    on.proxy.reset()
    // Read-only requests are served.
    await eventually(
      async () =>
        (await on.service.get('/library', undefined, { ...HTML, cookie: on.cookie })).status ===
        200,
      'that new connections are there',
    )
    await assertUnavailable(on, ['page', 'page of a sign-in under way', 'token', 'authorization'])
    // Rejected requests and counts are kept in memory until they can be written.
    assert.equal((await rate(on.me, 11)).status, 422)
    await eventually(
      async () => on.service.logged.some(({ msg }) => msg === USAGE_NOT_WRITTEN),
      'that the usage of apps cannot be written',
    )

    await asAdmin(admin, `alter database "${name}" reset default_transaction_read_only`)
    // Each failed write replaces one pooled connection, so at most one refusal per connection is possible.
    let refusals = 0
    while ((await rate(on.me)).status === 503) refusals += 1
    assert.ok(refusals <= on.service.config.databasePoolSize, `${refusals} refusals`)
    await eventually(
      async () => (await on.service.get('/health/ready')).status === 200,
      'that it is ready',
    )
    await eventually(
      async () => (await refusedOf(on)).includes(422),
      'that the rejected request is stored',
    )
  })
})

describe(
  'a service whose primary is lost',
  { skip: process.env['DATABASE_URL'] !== undefined },
  () => {
    it(
      'is not ready on the standby, and writes again once the standby is promoted',
      { timeout: 120_000 },
      async () => {
        const primary = await startPostgres()
        closers.push(primary.stop)
        await createServerDatabase(primary.url, 'mokuroku')
        const dataDir = scratchFolder('test')
        const database = {
          databaseUrl: databaseAt(primary.url, 'mokuroku'),
          dataDir,
          remove: async () => {},
        }
        closers.push(async () => removeFolder(dataDir))
        const { service, me, proxy } = await startStage(database)
        const create = () => me.send('POST', '/v3/user/me/collections', { name: 'A list' })
        assert.equal((await create()).status, 200)
        const standby = await startStandby(primary)
        closers.push(standby.stop)

        const isReady = async () => (await service.get('/health/ready')).status === 200
        proxy.redirect(standby.url)
        proxy.reset()
        await eventually(
          async () => (await me.send('GET', '/v3/user/me/collections')).status === 200,
          'it is read',
        )
        assert.deepEqual([(await create()).status, await isReady()], [503, false])
        await asAdmin(databaseAt(standby.url, 'mokuroku'), 'select pg_promote()')
        assert.equal((await create()).status, 200)
        assert.equal(await isReady(), true)
      },
    )
  },
)

describe('a service that cannot reach its database', () => {
  for (const code of ['EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EMFILE', 'ENFILE'])
    it(`returns 503 on every interface: ${code}`, async () => {
      const on = await startStage(undefined, 'localhost')
      assert.equal((await rate(on.me)).status, 200)
      const { lookup } = dns
      const failing = (host: string, ...rest: unknown[]) => {
        const done = rest.at(-1) as (error: Error) => void
        if (host === 'localhost')
          return done(Object.assign(new Error(`lookup failed: ${code}`), { code }))
        return (lookup as (...args: unknown[]) => void)(host, ...rest)
      }
      mock.method(dns, 'lookup', failing as typeof lookup)
      on.proxy.reset()
      await eventually(
        async () => (await on.service.get('/health/ready')).status === 503,
        'that its connections are gone',
      )
      await assertUnavailable(on)
      mock.restoreAll()
      await eventually(
        async () => (await on.service.get('/health/ready')).status === 200,
        'that it is ready',
      )
      assert.equal((await rate(on.me)).status, 200)
    })
})

describe('a cached catalog response made stale by a rating', () => {
  for (const loss of ['cut', 'freeze'] as const)
    it(`is served while the database is unavailable (${loss})`, async () => {
      const { service, proxy, me } = await startStage()
      const token = await service.token()
      const get = (id: number) => service.get(`/v3/galgames/${id}`, token)
      const etag = async (id: number) => (await get(id)).headers.get('etag')
      const rateOne = (id: number) =>
        me.send('PUT', `/v3/user/me/rates/galgames/${id}`, { rate: 3 })
      const before = [await etag(1), await etag(2), await etag(3)]
      await rateOne(1)
      await rateOne(2)
      await waitForTotals(service.db)
      // Poll only the third entry, so that nothing reads the others between their ratings and the outage.
      await rateOne(3)
      await eventually(async () => (await etag(3)) !== before[2], 'that ratings are published')
      proxy[loss]()
      assert.deepEqual([await etag(1), await etag(2)], before.slice(0, 2))
      assert.equal((await get(4)).status, 503, 'it was never requested')
    })
})

describe('a request to a service whose database does not respond', () => {
  it('fails after a single deadline on every interface', { timeout: 120_000 }, async () => {
    const on = await startStage()
    on.proxy.freeze()
    const took = async (send: () => Promise<Response>) => {
      const startedAt = performance.now()
      const { status } = await send()
      assert.equal(status, 503)
      return performance.now() - startedAt
    }
    const { api = assert.fail, readiness: _, ...others } = sendAll(on)
    const times = await Promise.all([took(api), ...Object.values(others).map(took)])
    const [one, ...more] = times
    for (const [index, name] of Object.keys(others).entries())
      assert.ok(
        (more[index] ?? 0) < one * 1.5,
        `${name}: ${more[index]} ms, one statement: ${one} ms`,
      )
  })
})
