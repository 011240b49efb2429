import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Fastify from 'fastify'
import { ApiError } from '../wire/errors/errors.ts'
import { banned, invalidToken } from '../wire/errors/refusals.ts'
import { callerOf, guardRoutes } from './access.ts'
import { anonymousGuard } from './anonymous-guard.ts'
import type { Caller } from './bearer.ts'
import { catalogGuard } from './catalog-guard.ts'
import { failedAuthentications } from './failed-authentications.ts'
import { memoryThrottle, type Throttle } from './throttle.ts'
import { accountOf, userGuard } from './user-guard.ts'

const callerWith = (
  kind: Caller['kind'],
  scopes: string[],
  more: Partial<Caller> = {},
): Caller => ({
  kind,
  clientId: 'app',
  accountId: kind === 'user' ? '7' : undefined,
  scopes: new Set(scopes),
  requestsPerMinute: undefined,
  ...more,
})

const CALLERS: Record<string, Caller> = {
  app: callerWith('application', ['catalog:read']),
  other: callerWith('application', ['catalog:read'], { clientId: 'other' }),
  bare: callerWith('application', []),
  big: callerWith('application', ['catalog:read'], { clientId: 'big', requestsPerMinute: 5 }),
  user: callerWith('user', ['status:read']),
  agent: callerWith('user', ['catalog:read'], { clientId: 'https://a.example/1' }),
  nextAgent: callerWith('user', ['catalog:read'], { clientId: 'https://b.example/2' }),
  agentOfOther: callerWith('user', ['catalog:read'], {
    clientId: 'https://a.example/1',
    accountId: '8',
  }),
  bigAgent: callerWith('user', ['catalog:read'], {
    clientId: 'https://a.example/3',
    requestsPerMinute: 5,
  }),
  bigUser: callerWith('user', ['status:read'], { clientId: 'big', requestsPerMinute: 5 }),
}

/** Creates an app with guarded routes. Each token is the name of one of the callers above. */
function appWith({
  failures = 100,
  isSlow = false,
  anonymousRequestsPerMinute,
}: { failures?: number; isSlow?: boolean; anonymousRequestsPerMinute?: number } = {}) {
  const verify = (token: string) => {
    if (token === 'banned') throw banned()
    const caller = CALLERS[token]
    if (!caller) throw invalidToken()
    return caller
  }
  const counted: string[] = []
  const inMemory = memoryThrottle()
  const throttle: Throttle = isSlow ? async (key, limit) => inMemory(key, limit) : inMemory
  const services = {
    verifyToken: isSlow ? async (token: string) => verify(token) : verify,
    throttle,
    failedAuthentications: failedAuthentications(failures, throttle),
  }
  const usage = {
    count: (clientId: string, name: string) => void counted.push(`${clientId} ${name}`),
  }
  const user = userGuard(services, {
    requestsPerMinute: 1,
    keyOf: ({ accountId }) => `user:${accountId}`,
  })
  const app = Fastify()
  app.setErrorHandler((error, _request, reply) =>
    reply
      .status(error instanceof ApiError ? error.status : 500)
      .send(
        error instanceof ApiError
          ? [error.code, error.about?.clientId].join(' ').trim()
          : error instanceof Error && error.message,
      ),
  )
  guardRoutes(app, {
    catalog: catalogGuard(services, { requestsPerMinute: 1, usage, anonymousRequestsPerMinute }),
    anonymous: anonymousGuard(services, 1),
    page: anonymousGuard(services, 1, 'page'),
    user,
    developer: user,
    mcp: user,
  })
  app.get('/anonymous', { config: { access: 'anonymous' } }, () => 'ok')
  app.get('/catalog', { config: { access: 'catalog' } }, () => 'ok')
  app.get('/feed', { config: { access: 'catalog', scope: 'catalog:sync' } }, () => 'ok')
  app.get('/user', { config: { access: 'user', scope: 'status:read' } }, (request) =>
    String(accountOf(request)),
  )
  app.get('/public', { config: { access: 'public' } }, callerOf)
  app.get('/protocol', { config: { access: 'protocol' } }, (request) => accountOf(request))
  app.get('/caller', { config: { access: 'catalog' } }, (request) => callerOf(request).clientId)
  app.get('/unsaid', { config: { access: 'user' } }, () => 'ok')
  const send = async (url: string, token?: string, remoteAddress = '192.0.2.1') => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const { statusCode, body } = await app.inject({ url, headers, remoteAddress })
    return `${statusCode} ${body}`
  }
  return { ask: send, counted }
}

for (const isSlow of [false, true])
  describe(`a guard with ${isSlow ? 'asynchronous' : 'synchronous'} verification and counting`, () => {
    it('checks the token, the user, the scope and the rate limit in this order', async () => {
      const { ask: send, counted } = appWith({ isSlow })
      assert.equal(await send('/catalog'), '401 AUTH_UNAUTHENTICATED')
      assert.equal(await send('/catalog', 'unknown'), '401 AUTH_TOKEN_INVALID')
      assert.equal(await send('/catalog', 'a b'), '401 AUTH_TOKEN_INVALID')
      assert.equal(await send('/catalog', 'banned'), '403 USER_BANNED')
      assert.equal(await send('/catalog', 'bare'), '403 AUTH_FORBIDDEN app')
      // The token also lacks the scope, but the missing user is reported first.
      assert.equal(await send('/user', 'bare'), '401 AUTH_UNAUTHENTICATED app')
      assert.deepEqual(counted, [], 'none of these has cost the app a request of its window')
      assert.equal(await send('/catalog', 'app'), '200 ok')
      assert.equal(await send('/catalog', 'app'), '429 COMMON_RATE_LIMITED')
      assert.equal(await send('/catalog', 'other'), '200 ok')
      assert.equal(await send('/catalog', 'bare'), '403 AUTH_FORBIDDEN app')
      assert.deepEqual(counted, [
        'app requests',
        'app requests',
        'app rate_limited',
        'other requests',
      ])
      assert.equal(await send('/user', 'user'), '200 7')
      assert.equal(await send('/user', 'user'), '429 COMMON_RATE_LIMITED')
    })

    it("applies the app's limit override to the catalog but not to user routes", async () => {
      const { ask: send } = appWith({ isSlow })
      for (let request = 1; request <= 5; request += 1)
        assert.equal(await send('/catalog', 'big'), '200 ok')
      assert.equal(await send('/catalog', 'big'), '429 COMMON_RATE_LIMITED')
      assert.equal(await send('/user', 'bigUser'), '200 7')
      assert.equal(await send('/user', 'bigUser'), '429 COMMON_RATE_LIMITED')
    })

    it('counts all document-based apps of a user as one, unless the operator has set a limit', async () => {
      const { ask: send } = appWith({ isSlow })
      assert.equal(await send('/catalog', 'agent'), '200 ok')
      assert.equal(await send('/catalog', 'nextAgent'), '429 COMMON_RATE_LIMITED')
      assert.equal(await send('/catalog', 'agentOfOther'), '200 ok')
      for (let request = 1; request <= 5; request += 1)
        assert.equal(await send('/catalog', 'bigAgent'), '200 ok')
      assert.equal(await send('/catalog', 'bigAgent'), '429 COMMON_RATE_LIMITED')
    })

    it('shares the count of bad tokens per IP address with the other guards', async () => {
      const { ask: send } = appWith({ failures: 2, isSlow })
      assert.equal(await send('/catalog', 'unknown'), '401 AUTH_TOKEN_INVALID')
      assert.equal(await send('/user', 'unknown'), '401 AUTH_TOKEN_INVALID')
      assert.equal(await send('/user', 'unknown'), '429 COMMON_RATE_LIMITED')
      assert.equal(await send('/catalog'), '429 COMMON_RATE_LIMITED')
      assert.equal(await send('/catalog', 'app'), '200 ok')
    })

    it('counts anonymous requests by IP address and ignores tokens', async () => {
      const { ask: send } = appWith({ isSlow })
      assert.equal(await send('/anonymous', 'unknown'), '200 ok')
      assert.equal(await send('/anonymous'), '429 COMMON_RATE_LIMITED')
      assert.equal(await send('/catalog', 'app'), '200 ok', 'in a window of its own')
    })

    it('admits catalog requests without a token if the rules allow them, counted by IP address', async () => {
      const { ask: send, counted } = appWith({ isSlow, anonymousRequestsPerMinute: 2 })
      const from = (address: string) => send('/catalog', undefined, address)
      assert.equal(await from('2001:db8::1'), '200 ok')
      assert.equal(await from('2001:db8::ffff:1'), '200 ok')
      assert.equal(await from('2001:db8::2'), '429 COMMON_RATE_LIMITED')
      assert.equal(await from('2001:db8:0:1::1'), '200 ok')
      assert.equal(await send('/feed'), '401 AUTH_UNAUTHENTICATED')
      assert.equal(await send('/user'), '401 AUTH_UNAUTHENTICATED')
      assert.equal(await send('/catalog', 'unknown'), '401 AUTH_TOKEN_INVALID')
      assert.deepEqual(counted, [], 'no app sent these')
      assert.equal(await send('/catalog', 'app'), '200 ok')
      assert.equal(await send('/catalog', 'app'), '429 COMMON_RATE_LIMITED')
    })

    it('fails for a route without a scope', async () => {
      assert.equal(
        await appWith({ isSlow }).ask('/unsaid', 'user'),
        '500 /unsaid has no scope: set config.scope',
      )
    })

    it('is missing on public routes, which have no caller', async () => {
      const { ask: send } = appWith({ isSlow })
      assert.equal(await send('/caller', 'app'), '200 app')
      assert.equal(await send('/public', 'app'), '500 /public reads its caller but has no guard')
      assert.equal(await send('/protocol', 'app'), '500 /protocol reads its user but has no guard')
    })
  })

describe('a route without an access rule', () => {
  it('prevents startup', () => {
    const app = Fastify()
    const guard = () => {}
    guardRoutes(app, {
      catalog: guard,
      anonymous: guard,
      page: guard,
      user: guard,
      developer: guard,
      mcp: guard,
    })
    const fault = { message: 'GET /x has no access rule: set config.access' }
    assert.throws(() => app.get('/x', () => 'ok'), fault)
    assert.throws(() => app.get('/x', { config: {} }, () => 'ok'), fault)
  })
})
