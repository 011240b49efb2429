import assert from 'node:assert/strict'
import { Redis } from 'ioredis'
import { after, before, describe, it } from 'node:test'
import { createDatabase } from '#test/databases.ts'
import { spawnService } from '#test/service-process.ts'
import { redisMissing, startRedis } from '#test/redis.ts'
import { eventually, PlainBrowser } from '#test/browser.ts'
import { startService, type TestService } from '#test/service.ts'

const PATH = '/api/v3/open/people/1'
const EXACT = { CATALOG_REQUESTS_PER_MINUTE: undefined }

/** Waits for a condition that the service guarantees within a second. A busy machine is given more time. */
const until = (condition: () => boolean | Promise<boolean>) =>
  eventually(condition, 'the change', 10_000)

/**
 * Sends concurrent requests.
 *
 * @returns how many succeeded
 */
async function burst(service: TestService, token: string, count: number) {
  const requests = Array.from({ length: count }, () => service.get(PATH, token))
  const statuses = (await Promise.all(requests)).map(({ status }) => status)
  assert.ok(
    statuses.every((status) => status === 200 || status === 429),
    String(statuses),
  )
  return statuses.filter((status) => status === 200).length
}

describe('the throttle of the catalog (§8)', () => {
  let service: TestService
  before(async () => {
    service = await startService({ environment: EXACT })
  })
  after(() => service.close())

  it('accepts 60 requests from an app, and returns 429 with Retry-After for the 61st', async () => {
    const token = await service.token()
    for (let request = 1; request <= 60; request += 1) {
      const { status, headers } = await service.get(PATH, token)
      assert.equal(status, 200)
      assert.equal(headers.get('x-ratelimit-limit'), '60')
      assert.equal(headers.get('x-ratelimit-remaining'), String(60 - request))
      assert.equal(headers.get('retry-after'), null)
      const reset = Number(headers.get('x-ratelimit-reset'))
      assert.ok(reset >= 1 && reset <= 60)
      assert.equal(headers.get('ratelimit'), `"default";r=${60 - request};t=${reset}`)
      assert.equal(headers.get('ratelimit-policy'), '"default";q=60;w=60')
    }
    const refused = await service.get(PATH, token)
    assert.equal(refused.status, 429)
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d?$/)
    assert.equal(refused.headers.get('x-ratelimit-remaining'), '0')
    assert.equal(refused.headers.get('access-control-allow-origin'), '*')
    const { success, error } = (await refused.json()) as {
      success: boolean
      error: { code: string; retryable: boolean }
    }
    assert.deepEqual([success, error.code, error.retryable], [false, 'COMMON_RATE_LIMITED', true])
  })

  it('counts requests per app, not per token, address, path or family of paths', async () => {
    const app = await service.createApp()
    const tokenOf = async () =>
      ((await (await service.requestToken(app)).json()) as { access_token: string }).access_token
    const [first, second] = [await tokenOf(), await tokenOf()]
    assert.equal(await burst(service, first, 30), 30)
    await Promise.all(Array.from({ length: 30 }, () => service.get('/v3/galgames/1/staff', second)))
    assert.equal((await service.get(PATH, first)).status, 429)
    assert.equal(
      (await service.get(PATH, await service.token())).status,
      200,
      'another application has its own window',
    )
  })

  it('also counts requests that get 304, 404 or 422, and reports the count in the headers of the responses', async () => {
    const token = await service.token()
    const etag = (await service.get(PATH, token)).headers.get('etag') ?? ''
    const responses = [
      await service.get(PATH, token, { 'if-none-match': etag }),
      await service.get('/v3/people/999999', token),
      await service.get('/v3/people/abc', token),
      await service.get('/v3/galgames/1/staff?page=0', token),
    ]
    assert.deepEqual(
      responses.map(({ status }) => status),
      [304, 404, 404, 422],
    )
    assert.deepEqual(
      responses.map(({ headers }) => headers.get('x-ratelimit-remaining')),
      ['58', '57', '56', '55'],
    )
  })

  it('accepts exactly 60 of 200 concurrent requests', async () => {
    assert.equal(await burst(service, await service.token(), 200), 60)
  })

  it('applies the operator’s override for an app within a second', async () => {
    const app = await service.createApp({ requestsPerMinute: 5 })
    const { access_token: token } = (await (await service.requestToken(app)).json()) as {
      access_token: string
    }
    await until(
      async () => (await service.get(PATH, token)).headers.get('x-ratelimit-limit') === '5',
    )
    await until(async () => (await service.get(PATH, token)).status === 429)
    await service.db
      .updateTable('apps')
      .set({ requests_per_minute: 1_000 })
      .where('client_id', '=', app.clientId)
      .execute()
    await until(
      async () => (await service.get(PATH, token)).headers.get('x-ratelimit-limit') === '1000',
    )
    assert.equal((await service.get(PATH, token)).status, 200)
  })
})

describe('a client that exceeds a limit', () => {
  it('gets 429 after too many failed authentications, while a valid token from the same address works', async () => {
    const service = await startService({ environment: { FAILED_AUTHENTICATIONS_PER_MINUTE: '5' } })
    try {
      const token = await service.token()
      for (let attempt = 1; attempt <= 5; attempt += 1)
        assert.equal((await service.get(PATH, 'bad.token.here')).status, 401)
      const refused = await service.get(PATH, 'bad.token.here')
      assert.equal(refused.status, 429)
      assert.ok(refused.headers.get('retry-after'))
      assert.equal((await service.get(PATH)).status, 429)
      assert.equal((await service.get(PATH, token)).status, 200)
    } finally {
      await service.close()
    }
  })

  it('gets an OAuth error for too many token requests', async () => {
    const service = await startService({ environment: { TOKEN_REQUESTS_PER_MINUTE: '3' } })
    try {
      const app = await service.createApp()
      for (let attempt = 1; attempt <= 3; attempt += 1)
        assert.equal((await service.requestToken(app)).status, 200)
      const refused = await service.requestToken(app)
      assert.equal(refused.status, 429)
      assert.ok(refused.headers.get('retry-after'))
      assert.deepEqual(Object.keys((await refused.json()) as object), [
        'error',
        'error_description',
      ])
    } finally {
      await service.close()
    }
  })

  it('gets 429 after too many authorization requests or submitted forms', async () => {
    const service = await startService({ environment: { TOKEN_REQUESTS_PER_MINUTE: '3' } })
    try {
      const browser = new PlainBrowser(service.url)
      const page = await browser.get('/sign-in')
      const statuses = async (send: () => Promise<{ status: number }>) => {
        const seen: number[] = []
        for (let attempt = 1; attempt <= 4; attempt += 1) seen.push((await send()).status)
        return seen
      }
      assert.deepEqual(await statuses(() => browser.get('/oidc/auth')), [400, 400, 400, 429])
      const form = { email: 'a@example.org', password: 'b' }
      assert.deepEqual(await statuses(() => browser.submit(page, form)), [422, 422, 422, 429])
      assert.equal((await browser.get('/sign-in')).status, 200)
    } finally {
      await service.close()
    }
  })

  it('is identified by the address that trusted proxies report, not by its own headers', async () => {
    for (const [TRUSTED_PROXIES, forwarded, expected] of [
      ['0', ['192.0.2.1', '192.0.2.2'], 429],
      ['1', ['192.0.2.1', '192.0.2.2'], 401],
      ['1', ['198.51.100.1, 192.0.2.1', '198.51.100.2, 192.0.2.1'], 429],
      ['2', ['192.0.2.1, 10.0.0.1', '192.0.2.2, 10.0.0.1'], 401],
    ] as const) {
      const service = await startService({
        environment: { FAILED_AUTHENTICATIONS_PER_MINUTE: '1', TRUSTED_PROXIES },
      })
      try {
        await service.get(PATH, 'bad', { 'x-forwarded-for': forwarded[0] })
        const { status } = await service.get(PATH, 'bad', { 'x-forwarded-for': forwarded[1] })
        assert.equal(status, expected, `${TRUSTED_PROXIES}: ${forwarded.join(' then ')}`)
      } finally {
        await service.close()
      }
    }
  })
})

describe('the throttle shared through Redis', { skip: redisMissing() }, () => {
  it('lets exactly 60 requests through across two processes', async () => {
    const redis = await startRedis()
    const database = await createDatabase('server', 'sample')
    // Issues the token. It shares only the database and the issuer with the other two.
    const issuer = await startService({ database, environment: EXACT })
    const environment = {
      DATABASE_URL: database.databaseUrl,
      REDIS_URL: redis.url,
      AUTH_URL: issuer.url,
      LOG_LEVEL: 'warn',
    }
    const processes = await Promise.all([spawnService(environment), spawnService(environment)])
    try {
      const headers = { authorization: `Bearer ${await issuer.token()}` }
      const send = (index: number) => fetch(`${processes[index % 2]?.url}${PATH}`, { headers })
      const responses = await Promise.all(Array.from({ length: 150 }, (_, index) => send(index)))
      const through = responses.filter(({ status }) => status === 200)
      assert.equal(through.length, 60)
      assert.equal(responses.filter(({ status }) => status === 429).length, 90)
      const refused = await send(1)
      assert.equal(refused.headers.get('x-ratelimit-remaining'), '0')
      assert.ok(Number(refused.headers.get('retry-after')) >= 1)
    } finally {
      for (const { stop } of processes) assert.equal(await stop(), 0)
      await issuer.close()
      await database.remove()
      await redis.stop()
    }
  })

  it('counts requests locally while Redis is unavailable, logs the outage once, and then uses Redis again', async () => {
    const redis = await startRedis()
    const service = await startService({ environment: { ...EXACT, REDIS_URL: redis.url } })
    const countLogged = (pattern: RegExp) =>
      service.logged.filter(({ msg }) => pattern.test(String(msg))).length
    try {
      assert.equal(
        (await service.get(PATH, await service.token())).headers.get('x-ratelimit-remaining'),
        '59',
      )
      await redis.stop()
      const token = await service.token()
      await until(() => countLogged(/Redis is unavailable/) === 1)
      assert.equal(await burst(service, token, 80), 60)
      assert.equal(countLogged(/Redis is unavailable/), 1)
      await redis.start()
      await until(async () => {
        await service.get(PATH, await service.token())
        return countLogged(/Redis is back/) === 1
      })
    } finally {
      await service.close()
      await redis.stop()
    }
  })

  it('sets a missing expiry on a counter, so that no client is blocked forever', async () => {
    const redis = await startRedis()
    const service = await startService({ environment: { ...EXACT, REDIS_URL: redis.url } })
    const client = new Redis(redis.url)
    try {
      const token = await service.token()
      await service.get(PATH, token)
      const [counter = ''] = await client.keys('*catalog*')
      assert.equal(await client.persist(counter), 1)
      const { headers } = await service.get(PATH, token)
      assert.ok(Number(headers.get('x-ratelimit-reset')) <= 60)
      assert.ok((await client.pttl(counter)) > 0)
    } finally {
      client.disconnect()
      await service.close()
      await redis.stop()
    }
  })

  it('starts and serves requests without Redis', async () => {
    const service = await startService({
      environment: { ...EXACT, REDIS_URL: 'redis://127.0.0.1:1' },
    })
    try {
      assert.equal(await burst(service, await service.token(), 70), 60)
    } finally {
      await service.close()
    }
  })
})
