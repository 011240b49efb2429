import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Fastify from 'fastify'
import { ApiError } from '../wire/errors/errors.ts'
import { banned, invalidToken } from '../wire/errors/refusals.ts'
import { guardRoutes } from './access.ts'
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
  bare: callerWith('application', []),
  big: callerWith('application', ['catalog:read'], { clientId: 'big', requestsPerMinute: 5 }),
  user: callerWith('user', ['status:read']),
  bigUser: callerWith('user', ['status:read'], { clientId: 'big', requestsPerMinute: 5 }),
}

/** Two guarded routes behind tokens that are names of the callers above. */
function appWith({ failures = 100, isSlow = false } = {}) {
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
    failedAuthentications: failedAuthentications(failures),
  }
  const usage = {
    count: (clientId: string, what: string) => void counted.push(`${clientId} ${what}`),
  }
  const user = userGuard(services, {
    requestsPerMinute: 1,
    keyOf: ({ accountId }) => `user:${accountId}`,
  })
  const app = Fastify()
  app.setErrorHandler((error, _request, reply) =>
    reply
      .status(error instanceof ApiError ? error.status : 500)
      .send(error instanceof ApiError ? error.code : ''),
  )
  guardRoutes(app, {
    catalog: catalogGuard(services, { requestsPerMinute: 1, usage }),
    anonymous: anonymousGuard(services, 1),
    page: anonymousGuard(services, 1, 'page'),
    user,
    developer: user,
  })
  app.get('/anonymous', { config: { access: 'anonymous' } }, () => 'ok')
  app.get('/catalog', { config: { access: 'catalog' } }, () => 'ok')
  app.get('/user', { config: { access: 'user', scope: 'status:read' } }, (request) =>
    String(accountOf(request)),
  )
  app.get('/unsaid', { config: { access: 'user' } }, () => 'ok')
  const ask = async (url: string, token?: string) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const { statusCode, body } = await app.inject({ url, headers })
    return `${statusCode} ${body}`
  }
  return { ask, counted }
}

for (const isSlow of [false, true])
  describe(`a guard that ${isSlow ? 'waits for' : 'has at hand'} token and window`, () => {
    it('refuses in the order of token, user, scope and window', async () => {
      const { ask, counted } = appWith({ isSlow })
      assert.equal(await ask('/catalog'), '401 AUTH_UNAUTHENTICATED')
      assert.equal(await ask('/catalog', 'unknown'), '401 AUTH_TOKEN_INVALID')
      assert.equal(await ask('/catalog', 'a b'), '401 AUTH_TOKEN_INVALID')
      assert.equal(await ask('/catalog', 'banned'), '403 USER_BANNED')
      assert.equal(await ask('/catalog', 'bare'), '403 AUTH_FORBIDDEN')
      // An application token without the scope: that it is no user's comes first.
      assert.equal(await ask('/user', 'bare'), '401 AUTH_UNAUTHENTICATED')
      assert.deepEqual(counted, [], 'none of these has cost the app a request of its window')
      assert.equal(await ask('/catalog', 'app'), '200 ok')
      assert.equal(await ask('/catalog', 'app'), '429 COMMON_RATE_LIMITED')
      assert.equal(await ask('/catalog', 'bare'), '403 AUTH_FORBIDDEN')
      assert.deepEqual(counted, ['app requests', 'app requests', 'app rate_limited'])
      assert.equal(await ask('/user', 'user'), '200 7')
      assert.equal(await ask('/user', 'user'), '429 COMMON_RATE_LIMITED')
    })

    it('follows the override of an app for the catalog, not for what users do', async () => {
      const { ask } = appWith({ isSlow })
      for (let request = 1; request <= 5; request += 1)
        assert.equal(await ask('/catalog', 'big'), '200 ok')
      assert.equal(await ask('/catalog', 'big'), '429 COMMON_RATE_LIMITED')
      assert.equal(await ask('/user', 'bigUser'), '200 7')
      assert.equal(await ask('/user', 'bigUser'), '429 COMMON_RATE_LIMITED')
    })

    it('counts bad tokens of an address together with the other guards', async () => {
      const { ask } = appWith({ failures: 2, isSlow })
      assert.equal(await ask('/catalog', 'unknown'), '401 AUTH_TOKEN_INVALID')
      assert.equal(await ask('/user', 'unknown'), '401 AUTH_TOKEN_INVALID')
      assert.equal(await ask('/user', 'unknown'), '429 COMMON_RATE_LIMITED')
      assert.equal(await ask('/catalog'), '429 COMMON_RATE_LIMITED')
      assert.equal(await ask('/catalog', 'app'), '200 ok')
    })

    it('counts who sends no token by address, and looks at none', async () => {
      const { ask } = appWith({ isSlow })
      assert.equal(await ask('/anonymous', 'unknown'), '200 ok')
      assert.equal(await ask('/anonymous'), '429 COMMON_RATE_LIMITED')
      assert.equal(await ask('/catalog', 'app'), '200 ok', 'in a window of its own')
    })

    it('lets nobody through where the route names no scope', async () => {
      assert.equal(await appWith({ isSlow }).ask('/unsaid', 'user'), '500 ')
    })
  })
