import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import {
  basicAuthorization,
  createClient,
  createUser,
  obtainTokens,
  refresh,
  signedInBrowser,
} from '#test/authorization.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { spawnAnother, type ServiceProcess } from '#test/service-process.ts'
import { seedRandom, type SeededRandom } from '#test/seeded-random.ts'
import { startService, type TestApp, type TestService } from '#test/service.ts'
import { waitForBlocked } from '#test/blocked-connections.ts'
import { hashToken } from '../../kernel/opaque-tokens.ts'

const CLIENTS = 6
const KILL_COUNT = 3

/** Tokens that a client stores: the newest refresh token, and the previous one until the newest is used. */
type Stored = { last: string; before?: string }

describe('refresh tokens on two processes', () => {
  let database: TestDatabase
  let service: TestService
  let other: ServiceProcess
  let app: TestApp
  const startOther = () =>
    spawnAnother(database, service, {
      TOKEN_REQUESTS_PER_MINUTE: '100000',
      FAILED_AUTHENTICATIONS_PER_MINUTE: '100000',
    })
  before(async () => {
    database = await createDatabase('server', 'sample')
    service = await startService({ database })
    other = await startOther()
    app = await createClient(service)
  })
  after(async () => {
    await other.stop()
    await service.close()
    await database.remove()
  })

  async function signIn(): Promise<Stored> {
    const user = await createUser(service)
    const browser = await signedInBrowser(service, user)
    const scope = 'openid offline_access catalog:read'
    const { refresh_token } = await obtainTokens(service, {
      app,
      user,
      browser,
      scope,
      prompt: 'consent',
    })
    assert.ok(refresh_token)
    return { last: refresh_token }
  }

  /** @returns the new refresh token; undefined without a response, or if the service was unavailable */
  async function exchange(
    url: string,
    token: string,
    loseAfterMs?: number,
  ): Promise<string | undefined> {
    const response = await fetch(`${url}/oidc/token`, {
      method: 'POST',
      headers: { ...basicAuthorization(app), 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token }).toString(),
      ...(loseAfterMs !== undefined && { signal: AbortSignal.timeout(loseAfterMs) }),
    }).catch(() => undefined)
    const text = await response?.text().catch(() => undefined)
    if (!response || text === undefined || response.status === 503) return undefined
    assert.equal(response.status, 200, `signed out: ${text}`)
    // as: a token response as defined in §5.4
    return (JSON.parse(text) as { refresh_token: string }).refresh_token
  }

  async function refreshOrReuse(stored: Stored, random: SeededRandom) {
    const token = stored.before !== undefined && random.chance(0.4) ? stored.before : stored.last
    if (token === stored.last) delete stored.before
    const responses = await Promise.all(
      Array.from({ length: random.pick([1, 1, 2, 5]) }, () =>
        exchange(
          random.pick([service.url, other.url]),
          token,
          random.chance(0.4) ? random.below(40) : undefined,
        ),
      ),
    )
    const received = random.chance(0.2)
      ? undefined
      : responses.findLast((response) => response !== undefined)
    if (received !== undefined) Object.assign(stored, { before: token, last: received })
  }

  it('keep a client signed in through lost responses, races and kill -9, and revoke the grant on a replay', async () => {
    const random = seedRandom('refresh storm')
    const clients = await Promise.all(Array.from({ length: CLIENTS }, signIn))
    const storm = new AbortController()
    const killer = (async () => {
      const chance = random.fork()
      for (let kill = 0; kill < KILL_COUNT; kill++) {
        await new Promise((resolve) => setTimeout(resolve, chance.below(500)))
        await other.stop('SIGKILL')
        other = await startOther()
      }
      storm.abort()
    })()
    await Promise.all(
      clients.map(async (stored) => {
        const chance = random.fork()
        while (!storm.signal.aborted) await refreshOrReuse(stored, chance)
      }),
    ).finally(() => killer)

    for (const { last } of clients) {
      const next = await exchange(other.url, last)
      assert.ok(next)
      const newest = await exchange(service.url, next)
      assert.ok(newest)
      const replay = await refresh(
        { ...service, url: random.pick([service.url, other.url]) },
        app,
        last,
      )
      assert.deepEqual([replay.status, replay.body['error']], [400, 'invalid_grant'])
      for (const token of [next, newest])
        assert.equal((await refresh(service, app, token)).status, 400, 'the grant was revoked')
    }
  })

  it('remain usable after twenty concurrent requests with one token, and every successor works', async () => {
    const { last } = await signIn()
    const successors = await Promise.all(
      Array.from({ length: 20 }, (_, index) => exchange(index % 2 ? service.url : other.url, last)),
    )
    for (const successor of successors) {
      assert.ok(successor)
      assert.ok(await exchange(other.url, successor))
    }
  })

  it('stay valid for a request that arrived before their successor was used', async () => {
    const { last } = await signIn()
    assert.ok(await exchange(service.url, last))
    let waiting: Promise<string | undefined> | undefined
    await service.db.transaction().execute(async (trx) => {
      const record = sql`model = 'RefreshToken' and id_hash = ${hashToken(last)}`
      await sql`select from oidc_records where ${record} for update`.execute(trx)
      waiting = exchange(other.url, last)
      await waitForBlocked(trx, 1)
      // Has the same effect as the exchange of a successor.
      await sql`update oidc_records set superseded_at = clock_timestamp() where ${record}`.execute(
        trx,
      )
    })
    const successor = await waiting
    assert.ok(successor)
    assert.ok(await exchange(service.url, successor))
    const replay = await refresh(service, app, last)
    assert.deepEqual([replay.status, replay.body['error']], [400, 'invalid_grant'])
  })

  it('stay valid if a request is read after its client gave up and used a newer token', async () => {
    const { last } = await signIn()
    const { hostname, port } = new URL(other.url)
    other.signal('SIGSTOP')
    const abandoned = connect(Number(port), hostname)
    await once(abandoned, 'connect')
    const body = `grant_type=refresh_token&refresh_token=${encodeURIComponent(last)}`
    abandoned.end(
      `POST /oidc/token HTTP/1.1\r\nHost: ${hostname}:${port}\r\n` +
        `Authorization: ${basicAuthorization(app).authorization}\r\n` +
        `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    const second = await exchange(service.url, last)
    assert.ok(second)
    const third = await exchange(service.url, second)
    assert.ok(third)
    other.signal('SIGCONT')
    abandoned.resume()
    await once(abandoned, 'close')
    // The process has also finished what it read earlier.
    const fourth = await exchange(other.url, third)
    assert.ok(fourth)
    assert.ok(await exchange(service.url, fourth))
  })

  it('give consistent results when a token and its successor are used at once: either both succeed, or one is treated as a replay', async () => {
    for (let round = 0; round < 8; round++) {
      const { last } = await signIn()
      const next = await exchange(service.url, last)
      assert.ok(next)
      const [older, newer] = await Promise.all([
        refresh(service, app, last),
        refresh({ ...service, url: other.url }, app, next),
      ])
      const repeated = await refresh(service, app, String(newer.body['refresh_token']))
      if (older.status === 200) assert.deepEqual([newer.status, repeated.status], [200, 200])
      else assert.equal(repeated.status, 400)
    }
  })
})
