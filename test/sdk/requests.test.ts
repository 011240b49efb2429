import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { CALLBACK, completeFlow, createClient, createUser } from '#test/authorization.ts'
import { PlainBrowser } from '#test/browser.ts'
import { listenLocally } from '#test/free-port.ts'
import { startService, type TestService } from '#test/service.ts'
import * as sdk from '../../sdk/index.js'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Starts a server with scripted responses; the last one repeats. */
async function startScript(...handlers: Handler[]) {
  const requests: { method: string; url: string; at: number; authorization: string }[] = []
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    const handler = handlers[Math.min(requests.length, handlers.length - 1)]
    requests.push({ method, url, at: Date.now(), authorization: headers.authorization ?? '' })
    request.resume().once('end', () => handler?.(request, response))
  })
  const port = await listenLocally(server)
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () => new Promise((closed) => server.close(closed).closeAllConnections()),
  }
}

const answer =
  (status: number, body: object, headers: Record<string, string> = {}): Handler =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
const SUCCESS = answer(200, { success: true, data: { id: 7 } })
const refusal = (status: number, headers: Record<string, string> = {}) =>
  answer(
    status,
    { success: false, error: { code: 'COMMON_SERVICE_UNAVAILABLE', message: '' } },
    headers,
  )
const cut: Handler = (request) => request.socket.destroy()
const hang: Handler = () => {}

describe('a request of the client package', () => {
  type Script = Awaited<ReturnType<typeof startScript>>
  async function withScript<T>(handlers: Handler[], use: (script: Script) => Promise<T>) {
    const script = await startScript(...handlers)
    try {
      return await use(script)
    } finally {
      await script.close()
    }
  }
  const body = { rate: 8 }
  const failure = (code: string) => (error: unknown) => sdk.isMokurokuError(error, code)

  it('is retried after 503, but not before Retry-After', () =>
    withScript([refusal(503, { 'retry-after': '1' }), SUCCESS], async ({ url, requests }) => {
      const client = sdk.createClient({ server: url })
      assert.deepEqual(await sdk.getGalgame(client, { id: 7 }), { id: 7 })
      const [first, second] = requests
      assert.ok(first && second && second.at - first.at >= 990)
    }))

  it('is retried after lost connections if it is idempotent', () =>
    withScript([cut, cut, SUCCESS], async ({ url, requests }) => {
      const client = sdk.createClient({ server: url })
      assert.deepEqual(await sdk.saveGalgameRating(client, { id: 7, body }), { id: 7 })
      assert.deepEqual(
        requests.map(({ method }) => method),
        ['PUT', 'PUT', 'PUT'],
      )
    }))

  for (const handler of [cut, refusal(503, { 'retry-after': '0' }), refusal(429)])
    it('is never retried if it is not idempotent', () =>
      withScript([handler], async ({ url, requests }) => {
        const client = sdk.createClient({ server: url })
        await assert.rejects(sdk.createCollection(client, { body: { name: 'x' } }))
        await assert.rejects(sdk.changeGalgameProgress(client, { id: 7, body: {} }))
        assert.deepEqual(
          requests.map(({ method }) => method),
          ['POST', 'PATCH'],
        )
      }))

  it('fails if Retry-After exceeds the maximum wait, and after the last retry', () =>
    withScript(
      [refusal(503, { 'retry-after': '100' }), refusal(503)],
      async ({ url, requests }) => {
        const client = sdk.createClient({ server: url, retries: 1 })
        await assert.rejects(sdk.getGalgame(client, { id: 7 }), { retryAfter: 100, status: 503 })
        assert.equal(requests.length, 1)
        await assert.rejects(
          sdk.getGalgame(client, { id: 7 }),
          failure('COMMON_SERVICE_UNAVAILABLE'),
        )
        assert.equal(requests.length, 3)
      },
    ))

  it('fails with TIMEOUT if there is no response, and with the reason of its signal if that aborts', () =>
    withScript([hang], async ({ url }) => {
      const client = sdk.createClient({ server: url, retries: 0 })
      await assert.rejects(sdk.getGalgame(client, { id: 7 }, { timeout: 20 }), failure('TIMEOUT'))
      const controller = new AbortController()
      const call = sdk.getGalgame(client, { id: 7 }, { signal: controller.signal })
      controller.abort(new Error('enough'))
      await assert.rejects(call, { message: 'enough' })
    }))

  it('stops waiting for a retry when its signal aborts', () =>
    withScript([refusal(503, { 'retry-after': '60' })], async ({ url, requests }) => {
      const client = sdk.createClient({ server: url })
      const controller = new AbortController()
      const call = sdk.getGalgame(client, { id: 7 }, { signal: controller.signal })
      while (requests.length === 0) await sleep(5)
      controller.abort(new Error('enough'))
      await assert.rejects(call, { message: 'enough' })
    }))

  it('fails with the status if a proxy responds with a page', () =>
    withScript(
      [(_, response) => void response.writeHead(502).end('<h1>Bad gateway</h1>')],
      async ({ url }) => {
        const client = sdk.createClient({ server: url, retries: 0 })
        await assert.rejects(sdk.getGalgame(client, { id: 7 }), failure('HTTP_502'))
      },
    ))

  it('gets a new token once after a 401', () =>
    withScript([refusal(401), SUCCESS, refusal(401)], async ({ url, requests }) => {
      const refusedTokens: unknown[] = []
      const token: sdk.TokenSource = async ({ refused } = {}) => {
        refusedTokens.push(refused)
        return `token-${refusedTokens.length}`
      }
      const client = sdk.createClient({ server: url, token, cache: false })
      await sdk.getGalgame(client, { id: 7 })
      assert.deepEqual(refusedTokens, [undefined, 'token-1'])
      assert.equal(requests[1]?.authorization, 'Bearer token-2')
      await assert.rejects(sdk.getGalgame(client, { id: 7 }), { status: 401 })
      assert.equal(requests.length, 4)
    }))

  it('renews the token only once, even if an attempt with the new token fails temporarily', () => {
    const script = [refusal(401), refusal(503, { 'retry-after': '0' }), refusal(401)]
    return withScript(script, async ({ url, requests }) => {
      let tokens = 0
      const token: sdk.TokenSource = async () => `token-${(tokens += 1)}`
      const client = sdk.createClient({ server: url, token, cache: false })
      await assert.rejects(sdk.saveGalgameRating(client, { id: 7, body }), { status: 401 })
      assert.deepEqual([requests.length, tokens], [3, 3])
    })
  })

  it('waits until it fits into the window, even if many are made at once', async () => {
    const [limit, windowMs] = [4, 1_500]
    let [begins, used, refused] = [0, 0, 0]
    const limited: Handler = (request, response) => {
      if (Date.now() >= begins + windowMs) [begins, used] = [Date.now(), 0]
      used += 1
      if (used > limit) refused += 1
      const headers = {
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': String(Math.max(0, limit - used)),
        'x-ratelimit-reset': String(Math.ceil((begins + windowMs - Date.now()) / 1_000)),
      }
      if (used > limit) refusal(429, { ...headers, 'retry-after': '1' })(request, response)
      else answer(200, { success: true, data: { id: 7 } }, headers)(request, response)
    }
    await withScript([limited], async ({ url, requests }) => {
      const client = sdk.createClient({ server: url })
      await Promise.all(
        Array.from({ length: 3 * limit }, (_, id) => sdk.getGalgame(client, { id })),
      )
      assert.equal(refused, 0)
      assert.equal(requests.length, 3 * limit)
    })
  })

  it('is not delayed by a long poll of the change feed', async () => {
    const headers = {
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '50',
      'x-ratelimit-reset': '60',
    }
    const feed = (items: object[]) => answer(200, { epoch: 'e', items, has_more: false }, headers)
    const waits: (string | null)[] = []
    const polled = Promise.withResolvers<() => void>()
    const follow: Handler = (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
      if (!pathname.endsWith('/changes'))
        return answer(200, { success: true, data: { id: 7 } }, headers)(request, response)
      waits.push(searchParams.get('wait'))
      const isPoll = searchParams.has('wait') || waits.length > 1
      if (isPoll) polled.resolve(() => feed([{ id: 9 }])(request, response))
      else feed([])(request, response)
    }
    await withScript([follow], async ({ url }) => {
      const client = sdk.createClient({ server: url })
      const changes = sdk.changes(client, { since: 8, epoch: 'e' }, { follow: true })
      const change = changes.next()
      const read = () => sdk.getGalgame(client, { id: 7 }, { signal: AbortSignal.timeout(20_000) })
      assert.deepEqual(await read(), { id: 7 })
      const finishPoll = await polled.promise
      assert.deepEqual(await read(), { id: 7 })
      finishPoll()
      assert.equal((await change).value?.id, 9)
      assert.deepEqual(waits, [null, '50'])
      await changes.return()
    })
  })
})

describe('the client package with a service', () => {
  let service: TestService
  let client: sdk.Client
  let sent: { url: string; status: number }[]
  before(async () => {
    service = await startService()
    const token = await service.token('catalog:full catalog:sync')
    sent = []
    client = sdk.createClient({
      server: service.url,
      token,
      fetch: async (...request) => {
        const response = await fetch(...request)
        sent.push({ url: response.url, status: response.status })
        return response
      },
    })
  })
  after(() => service.close())

  it('reuses a response for a minute, then revalidates it', async () => {
    sent.length = 0
    const first = await sdk.getPerson(client, { id: 1 })
    assert.deepEqual(await sdk.getPerson(client, { id: 1 }), first)
    assert.deepEqual(
      sent.map(({ status }) => status),
      [200],
    )
    assert.deepEqual(await sdk.getPerson(client, { id: 1 }, { revalidate: true }), first)
    assert.deepEqual(
      sent.map(({ status }) => status),
      [200, 304],
    )
    first.id = 0
    assert.notEqual((await sdk.getPerson(client, { id: 1 })).id, 0, 'changes stay in the copy')
  })

  it('yields every item of every kind of list', async () => {
    const staff = await sdk.listGalgameStaff(client, { id: 1 })
    assert.ok(staff.length > 2)
    const listed = sdk.pages(sdk.listGalgameStaff, client, { id: 1, page_size: 2 })
    assert.deepEqual(await Array.fromAsync(listed), staff)

    const mangas = sdk.pages(sdk.getMangas, client, { sort: 'name', page_size: 5 })
    const ids = (await Array.fromAsync(mangas)).map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length)
    assert.equal(ids.length, 22)

    const { meta } = await sdk.search(client, { q: 'a', page_size: 1 })
    const found = await Array.fromAsync(sdk.pages(sdk.search, client, { q: 'a', page_size: 7 }))
    assert.equal(found.length, meta.total_items)
    assert.ok(found.length > 7)
  })

  it('yields the changes of the catalog from any position', async () => {
    const all = await Array.fromAsync(sdk.changes(client, { limit: 100 }))
    assert.ok(all.length > 200)
    const { id: since, epoch } = all[149] ?? assert.fail()
    assert.deepEqual(await Array.fromAsync(sdk.changes(client, { since, epoch })), all.slice(150))
    await assert.rejects(
      Array.fromAsync(sdk.changes(client, { since, epoch: 'another' })),
      (error) => sdk.isMokurokuError(error, 'COMMON_CONFLICT'),
    )
  })

  it('waits for the next change if it follows the feed', async () => {
    const { id: since, epoch } =
      (await Array.fromAsync(sdk.changes(client))).at(-1) ?? assert.fail()
    const changes = sdk.changes(client, { since, epoch }, { follow: true })
    sent.length = 0
    const change = changes.next()
    while (sent.length === 0) await sleep(5)
    await sql`update people set name = name || '!' where id = 2`.execute(service.db)
    const { value } = await change
    assert.deepEqual([value?.resource_type, value?.resource_id], ['PERSON', 2])
    assert.match(sent.at(-1)?.url ?? '', /[?&]wait=50(?:&|$)/)
    await changes.return()
  })

  it('fails with the code, the fields and the ID of a refused request', async () => {
    await assert.rejects(sdk.getGalgame(client, { id: 999_999 }), {
      name: 'MokurokuError',
      code: 'COMMON_NOT_FOUND',
      status: 404,
      retryable: false,
    })
    const error = await sdk
      .search(client, { q: 'a', page_size: 0 })
      .catch((reason: unknown) => reason)
    assert.ok(sdk.isMokurokuError(error, 'COMMON_VALIDATION_FAILED'))
    assert.equal(error.fieldErrors[0]?.field, 'page_size')
    assert.match(error.requestId ?? '', /./)
    const wrong = { server: service.url, clientId: 'mk_none', clientSecret: 'x' }
    await assert.rejects(sdk.appTokens(wrong)(), (reason) =>
      sdk.isMokurokuError(reason, 'invalid_client'),
    )
  })

  it('requests one app token for many requests at once', async () => {
    const { clientId, secret } = await service.createApp()
    let requests = 0
    const token = sdk.appTokens({
      server: service.url,
      clientId,
      clientSecret: secret,
      scope: 'catalog:read',
      fetch: (...request) => {
        requests += 1
        return fetch(...request)
      },
    })
    const tokens = await Promise.all(Array.from({ length: 5 }, () => token()))
    assert.equal(new Set(tokens).size, 1)
    assert.equal(requests, 1)
    assert.notEqual(await token({ refused: tokens[0] }), tokens[0])
  })

  it('signs a user in, refreshes, signs out, and then asks for a sign-in', async () => {
    const { clientId } = await createClient(service, { clientType: 'public' })
    const user = await createUser(service, 'Ann')
    const app = { server: service.url, clientId, store: sdk.memoryStore() }
    const scope = 'openid profile user:read offline_access'
    const { url, pending } = await sdk.startSignIn(app, { redirectUri: CALLBACK, scope })
    const browser = new PlainBrowser(service.url)
    const { location = '' } = await completeFlow(browser, await browser.get(url), user)

    const changed = (change: (parameters: URLSearchParams) => void) => {
      const altered = new URL(location)
      change(altered.searchParams)
      return altered
    }
    const attempts: [string, URL, sdk.PendingSignIn][] = [
      ['state_mismatch', changed((to) => to.set('state', 'x')), pending],
      ['issuer_mismatch', changed((to) => to.set('iss', 'https://x.test')), pending],
      ['access_denied', changed((to) => to.set('error', 'access_denied')), pending],
    ]
    for (const [code, redirected, remembered] of attempts)
      await assert.rejects(sdk.finishSignIn(app, remembered, redirected), (error) =>
        sdk.isMokurokuError(error, code),
      )
    const tokens = await sdk.finishSignIn(app, pending, location)
    assert.equal(sdk.claimsOf(tokens)?.name, 'Ann')

    const token = sdk.userTokens(app)
    const refreshed = await Promise.all(
      [1, 2, 3].map(() => token({ refused: tokens.access_token })),
    )
    assert.equal(new Set(refreshed).size, 1)
    assert.notEqual(refreshed[0], tokens.access_token)
    const { name } = await sdk.getProfile(sdk.createClient({ server: service.url, token }))
    assert.equal(name, 'Ann')

    await sdk.signOut(app)
    assert.equal(await app.store.get(), undefined)
    await assert.rejects(token(), (error) => sdk.isMokurokuError(error, 'login_required'))
    await app.store.set({ ...tokens, expires_at: 0 })
    await assert.rejects(token(), (error) => sdk.isMokurokuError(error, 'invalid_grant'))
    assert.equal(await app.store.get(), undefined, 'a revoked refresh token is discarded')
  })

  it('rejects a token response without tokens', async () => {
    const page: Handler = (_, response) => response.end('<title>Maintenance</title>')
    for (const handler of [page, answer(200, {}), answer(200, { access_token: 1 })]) {
      const script = await startScript(handler)
      const token = sdk.appTokens({ server: script.url, clientId: 'a', clientSecret: 'b' })
      await assert
        .rejects(token(), (error) => sdk.isMokurokuError(error, 'invalid_response'))
        .finally(script.close)
    }
  })

  it('rejects an ID token with a different nonce, and stores nothing', async () => {
    const { clientId } = await createClient(service, { clientType: 'public' })
    const user = await createUser(service, 'Bea')
    const app = { server: service.url, clientId, store: sdk.memoryStore() }
    const started = await sdk.startSignIn(app, { redirectUri: CALLBACK, scope: 'openid' })
    const browser = new PlainBrowser(service.url)
    const page = await browser.get(started.url)
    const { location = '' } = await completeFlow(browser, page, user)
    await assert.rejects(
      sdk.finishSignIn(app, { ...started.pending, nonce: 'another' }, location),
      (error) => sdk.isMokurokuError(error, 'invalid_id_token'),
    )
    assert.equal(await app.store.get(), undefined)
  })
})

describe('an ID token', () => {
  /** Finishes a sign-in for which the server returns an ID token with these claims, or none. */
  async function finish(change: (claims: Record<string, unknown>) => object | undefined) {
    const pending = {
      redirectUri: CALLBACK,
      scope: 'openid',
      state: 's',
      nonce: 'n',
      verifier: 'v',
    }
    const script = await startScript((request, response) => {
      const iss = `http://${request.headers.host}/oidc`
      const claims = change({ iss, aud: 'box', nonce: 'n', exp: Date.now() / 1_000 + 60 })
      const payload = Buffer.from(JSON.stringify(claims ?? {})).toString('base64url')
      const tokens = { access_token: 'a', expires_in: 60 }
      answer(200, { ...tokens, ...(claims && { id_token: `e30.${payload}.x` }) })(request, response)
    })
    const app = { server: script.url, clientId: 'box' }
    const url = `${CALLBACK}?code=c&state=s&iss=${encodeURIComponent(`${script.url}/oidc`)}`
    try {
      await sdk.finishSignIn(app, pending, url)
    } finally {
      await script.close()
    }
  }

  it('is accepted if it is for this sign-in', () => finish((claims) => claims))

  for (const [name, change] of [
    ['from another issuer', (claims) => ({ ...claims, iss: 'https://x.test' })],
    ['for another app', (claims) => ({ ...claims, aud: ['other'] })],
    ['expired', (claims) => ({ ...claims, exp: 1 })],
    ['missing', () => undefined],
  ] satisfies [string, (claims: object) => object | undefined][])
    it(`is rejected if it is ${name}`, () =>
      assert.rejects(finish(change), (error) => sdk.isMokurokuError(error, 'invalid_id_token')))
})

describe('a sign-in on a device', () => {
  const app = (server: string) => ({ server, clientId: 'box' })
  const device = { device_code: 'x', user_code: '', verification_uri: '' }

  it('polls less often while the server fails, and no earlier than Retry-After permits', async () => {
    const script = await startScript(
      cut,
      refusal(503),
      refusal(429, { 'retry-after': '1' }),
      answer(400, { error: 'authorization_pending' }),
      answer(200, { access_token: 'a', token_type: 'Bearer', expires_in: 60 }),
    )
    try {
      const waiting = { ...device, interval: 0.1, expires_in: 600 }
      const { access_token } = await sdk.finishDevice(app(script.url), waiting)
      assert.equal(access_token, 'a')
      const pauses = script.requests
        .slice(1)
        .map(({ at }, index) => at - (script.requests[index]?.at ?? 0))
      // Timers may fire a millisecond early.
      for (const [index, least] of [200, 400, 1_000, 100].entries())
        assert.ok((pauses[index] ?? 0) >= least - 5, `${pauses.join(', ')} ms`)
    } finally {
      await script.close()
    }
  })

  it('ends when its code expires, whatever the server responds', async () => {
    for (const error of ['authorization_pending', 'slow_down']) {
      const script = await startScript(answer(400, { error }))
      try {
        const expired = { ...device, interval: 0, expires_in: 0 }
        await assert.rejects(sdk.finishDevice(app(script.url), expired), { code: error })
        assert.equal(script.requests.length, 1)
      } finally {
        await script.close()
      }
    }
  })
})
