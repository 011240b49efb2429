import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { setAppEnabled } from '../src/apps/queries.ts'
import { openDatabase } from '../src/db/database.ts'
import { signal } from '../src/db/upkeep/signals.ts'
import { eventually } from '#test/browser.ts'
import { startFaultyProxy } from '#test/faulty-proxy.ts'
import { createDatabase, describeOnDatabase } from '#test/databases.ts'
import { startService, type TestService } from '#test/service.ts'
import { signInCookie } from '#test/signed-in-page.ts'

/** Time, in milliseconds, for the service to recover. The guarantee is ten seconds; a busy machine gets twice that. */
const RECOVERY_TIMEOUT_MS = 20_000

describe('a service whose database is unavailable', () => {
  it('serves cached responses, returns 503 with Retry-After otherwise, and recovers with the database', async () => {
    const database = await createDatabase('server', 'sample')
    const proxy = await startFaultyProxy(database.databaseUrl ?? '')
    const service = await startService({ database: { ...database, databaseUrl: proxy.url } })
    try {
      const app = await service.createApp()
      const token = await service.token()
      assert.equal((await service.get('/v3/galgames/1', token)).status, 200)
      const cookie = await signInCookie(service, { nsfw: false })
      proxy.cut()

      assert.equal((await service.get('/v3/galgames/1', token)).status, 200)
      const refused = await service.get('/v3/galgames/2', token)
      assert.equal(refused.status, 503)
      assert.ok(Number(refused.headers.get('retry-after')) >= 1)
      const { error } = (await refused.json()) as { error: { code: string; retryable: boolean } }
      assert.deepEqual([error.code, error.retryable], ['COMMON_SERVICE_UNAVAILABLE', true])
      assert.equal((await service.get('/health/ready')).status, 503)
      assert.equal((await service.get('/health/live')).status, 200)

      const noToken = await service.requestToken(app)
      assert.equal(noToken.status, 503)
      assert.ok(Number(noToken.headers.get('retry-after')) >= 1)
      assert.equal(((await noToken.json()) as { error: string }).error, 'temporarily_unavailable')
      const authorization = `/oidc/auth?${new URLSearchParams({ client_id: app.clientId, redirect_uri: 'https://a.example/' }).toString()}`
      const page = await service.get(authorization, undefined, {
        accept: 'text/html',
        'accept-language': 'en',
      })
      assert.equal(page.status, 503)
      assert.ok(Number(page.headers.get('retry-after')) >= 1)
      assert.match(await page.text(), /<h1>Temporarily unavailable<\/h1>/)
      const missing = await service.get('/nothing', undefined, { accept: 'text/html', cookie })
      assert.equal(missing.status, 404, 'a browser gets 404')

      proxy.restore()
      await eventually(
        async () => (await service.get('/health/ready')).status === 200,
        'the recovery',
        RECOVERY_TIMEOUT_MS,
      )
      assert.equal((await service.get('/v3/galgames/2', token)).status, 200)
      const log = JSON.stringify(service.logged)
      assert.ok(!log.includes(token), 'a token is in the log')
    } finally {
      await service.close()
      await proxy.close()
      await database.remove()
    }
  })
})

/** Opens all connections of the pool, so that the next queries reuse them. */
async function openAll({ config, db }: TestService) {
  const all = Promise.withResolvers<void>()
  let open = 0
  const holdOne = () =>
    db.connection().execute(async () => {
      open += 1
      if (open === config.databasePoolSize) all.resolve()
      await all.promise
    })
  await Promise.all(Array.from({ length: config.databasePoolSize }, holdOne))
}

describe('lost database connections', () => {
  for (const loss of ['dropTraffic', 'reset'] as const)
    it(`are replaced (${loss}), and requests and jobs recover within ten seconds`, async () => {
      const database = await createDatabase('server', 'sample')
      const proxy = await startFaultyProxy(database.databaseUrl ?? '')
      const service = await startService({ database: { ...database, databaseUrl: proxy.url } })
      const other = await openDatabase(database)
      try {
        const app = await service.createApp()
        const token = await service.token('catalog:full')
        const get = (galgame: number) => service.get(`/v3/galgames/${galgame}`, token)
        await openAll(service)
        const { promise: lost, resolve: lose } = Promise.withResolvers<void>()
        const started = Promise.withResolvers<void>()
        const midway = service.db.transaction().execute(async (trx) => {
          await signal(trx, 'apps')
          started.resolve()
          await lost
          await signal(trx, 'apps')
        })
        await started.promise
        proxy[loss]()
        lose()
        const lostAt = Date.now()
        const [responses, ready, requested] = await Promise.all([
          Promise.all([1, 2, 3, 4, 5].map(get)),
          service
            .get('/health/ready')
            .then(({ status }) => ({ status, after: Date.now() - lostAt })),
          service.requestToken(app),
          assert.rejects(midway),
        ])
        // The readiness check has a deadline of two seconds, a statement of five.
        assert.ok(ready.after < 4_500, `readiness took ${ready.after} ms`)
        assert.deepEqual(
          [...responses, ready, requested].filter(({ status }) => status !== 200 && status !== 503),
          [],
        )
        // Requests sent after the silent connections have been dropped succeed on new connections.
        const refused = responses.filter(({ status }) => status === 503)
        const advice = new Set(refused.map(({ headers }) => headers.get('retry-after')))
        if (loss === 'dropTraffic') assert.deepEqual([...advice], ['5'])

        // Another process waits for a lock of the lost transaction. A background job notices its change.
        const tokenOfApp = await (async () => {
          for (;;) {
            const granted = await service.requestToken(app)
            if (granted.ok) return ((await granted.json()) as { access_token: string }).access_token
            assert.ok(Date.now() - lostAt < RECOVERY_TIMEOUT_MS, 'no token')
          }
        })()
        while (!(await setAppEnabled(other.db, app.clientId, false).catch(() => false)))
          assert.ok(Date.now() - lostAt < RECOVERY_TIMEOUT_MS, 'its locks are not released')
        while ((await service.get('/v3/galgames/1', tokenOfApp)).status !== 401)
          assert.ok(Date.now() - lostAt < RECOVERY_TIMEOUT_MS, 'the jobs are not running')
        assert.equal((await get(6)).status, 200)
        assert.equal((await service.get('/health/ready')).status, 200)
      } finally {
        await other.close()
        await service.close()
        await proxy.close()
        await database.remove()
      }
    })
})

describeOnDatabase('a client', (engine) => {
  it('is disconnected if it never completes its headers', async () => {
    const service = await startService({ engine })
    try {
      const response = await new Promise<string>((resolve, reject) => {
        let text = ''
        const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () =>
          socket.write('GET /v3/people/1 HTTP/1.1\r\nHost: a\r\nX: '),
        )
        socket.setTimeout(60_000, () => socket.destroy(new Error('hangs')))
        socket
          .on('data', (chunk) => (text += chunk.toString()))
          .on('close', () => resolve(text))
          .on('error', reject)
      })
      assert.match(response, /^HTTP\/1\.1 408 /)
    } finally {
      await service.close()
    }
  })

  it('causes no errors if it disconnects before the response', async () => {
    const service = await startService({ engine })
    try {
      const token = await service.token()
      for (let attempt = 0; attempt < 30; attempt += 1) {
        const inFlight = new AbortController()
        const request = fetch(`${service.url}/v3/galgames/${attempt + 1}`, {
          headers: { authorization: `Bearer ${token}` },
          signal: inFlight.signal,
        })
        setTimeout(() => inFlight.abort(), attempt % 5)
        await request.catch(() => undefined)
      }
      assert.equal((await service.get('/v3/galgames/1', token)).status, 200)
      assert.deepEqual(
        service.logged.filter(({ level }) => Number(level) >= 50),
        [],
      )
    } finally {
      await service.close()
    }
  })
})
