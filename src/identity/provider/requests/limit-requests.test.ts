import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { assertLinear } from '#test/assert-linear.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { routesOf } from '#test/routes.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const PAGE = { accept: 'text/html' }

describeOnDatabase('the request limits of the OpenID provider', (engine) => {
  let service: TestService
  let routes: { method: string; url: string }[]
  before(async () => {
    service = await shareService(engine)
    routes = routesOf(service).filter(
      ({ method, url }) => url.includes('/oidc') && method !== 'OPTIONS',
    )
  })
  after(() => service.close())

  const send = (method: string, url: string, init: RequestInit = {}) =>
    fetch(service.url + url.replaceAll(/:\w+/g, 'any').replace('*', 'any'), {
      method,
      redirect: 'manual',
      ...init,
    })

  it('apply to every path and method', async () => {
    assert.ok(routes.length > 40, String(routes.length))
    const unknown = ['GET', 'HEAD', 'POST', 'DELETE'].map((method) => ({
      method,
      url: '/oidc/unknown',
    }))
    for (const { method, url } of [...routes, ...unknown]) {
      const { headers } = await send(method, url)
      assert.notEqual(headers.get('x-ratelimit-limit'), null, `${method} ${url}`)
    }
  })

  it('reject a query with more than a hundred parameters on every route', async () => {
    for (const { method, url } of routes) {
      const response = await send(method, `${url}?${'a&'.repeat(100)}`)
      assert.equal(response.status, 400, `${method} ${url}`)
      if (method !== 'HEAD')
        assert.deepEqual(await response.json(), {
          error: 'invalid_request',
          error_description: 'Send at most 100 parameters.',
        })
    }
    // The provider also parses text after a second question mark.
    for (const query of [`x?${'a&'.repeat(100)}`, `${'a&'.repeat(100)}?x`])
      assert.equal((await send('GET', `/oidc/session/end/success?${query}`)).status, 400, query)
    const page = await send('GET', `/oidc/session/end/success?${'a&'.repeat(100)}`, {
      headers: PAGE,
    })
    assert.equal(page.status, 400)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    assert.equal((await send('GET', `/oidc/session/end/success?${'a&'.repeat(99)}`)).status, 200)
  })

  it('reject a form with more than a hundred parameters', async () => {
    const urls = routes.filter(({ method, url }) => method === 'POST' && !url.endsWith('*'))
    for (const { url } of urls) {
      const response = await send('POST', url, { headers: FORM, body: 'a=1&'.repeat(101) })
      // Rejected before the body is read.
      if (response.status === 405) continue
      // The userinfo endpoint reads one form field and ignores the rest.
      const expected = url === '/oidc/me' ? 401 : 400
      assert.equal(response.status, expected, url)
      const text = await response.text()
      if (expected === 400) assert.match(text, /at most 100 parameters/, url)
    }
  })

  it('keep the cost of a query or form proportional to its size', async () => {
    for (const url of [
      '/oidc/session/end/success',
      '/oidc/auth',
      '/oidc/device',
      '/oidc/session/end',
    ])
      await assertLinear((size) => send('GET', `${url}?${'a&'.repeat(size)}`), 3_500, url)
    for (const url of [
      '/oidc/token',
      '/oidc/device',
      '/oidc/auth',
      '/oidc/request',
      '/oidc/token/introspection',
    ])
      await assertLinear(
        (size) => send('POST', url, { headers: FORM, body: 'a&'.repeat(size) }),
        12_000,
        url,
      )
  })
})
