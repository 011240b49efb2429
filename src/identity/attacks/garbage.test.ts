import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { fc } from '#test/arbitrary-text.ts'
import {
  authorizationRequest,
  basicAuthorization,
  createClient,
  postToProvider,
} from '#test/authorization.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { csrfTokenOf, PlainBrowser } from '#test/browser.ts'
import type { TestApp, TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { FORM, HTML, send } from '#test/attacks.ts'

const AUTHORIZATION = `
  client_id redirect_uri response_type scope state nonce prompt code_challenge
  code_challenge_method login_hint ui_locales id_token_hint max_age acr_values claims
  claims_locales display request request_uri resource response_mode registration
`
  .trim()
  .split(/\s+/)
const TOKEN = `
  grant_type code redirect_uri code_verifier client_id client_secret refresh_token scope
  device_code resource client_assertion client_assertion_type token token_type_hint dpop
`
  .trim()
  .split(/\s+/)
const PAGE = [
  'email',
  'password',
  'code',
  '_csrf',
  'xsrf',
  'user_code',
  'decision',
  'choice',
  'confirm',
  'response',
  'logout',
]

/** Percent-encoded values, including invalid UTF-8. */
const MALFORMED = [
  '%00',
  'a%00b',
  '%ff%fe',
  '%c0%80',
  '%ed%a0%80',
  '%F0%9F',
  '%',
  '%zz',
  '%E2%80%AE',
  '-1',
  '1e400',
  '%5B%5D',
  '%7B%22a%22%3A1%7D',
]

const ENDPOINTS: { path: string; names: string[]; method: 'GET' | 'POST' }[] = [
  { path: '/oidc/auth', names: AUTHORIZATION, method: 'GET' },
  { path: '/oidc/auth', names: AUTHORIZATION, method: 'POST' },
  { path: '/oidc/request', names: AUTHORIZATION, method: 'POST' },
  { path: '/oidc/device/auth', names: AUTHORIZATION, method: 'POST' },
  { path: '/oidc/token', names: TOKEN, method: 'POST' },
  { path: '/oidc/token/revocation', names: TOKEN, method: 'POST' },
  { path: '/oidc/token/introspection', names: TOKEN, method: 'POST' },
  { path: '/oidc/device', names: ['user_code', 'xsrf', 'confirm'], method: 'GET' },
  {
    path: '/oidc/session/end',
    names: ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state', 'ui_locales'],
    method: 'GET',
  },
]

describeOnDatabase('a malformed parameter', (engine) => {
  let service: TestService
  let app: TestApp
  before(async () => {
    service = await shareService(engine)
    app = await createClient(service, { applicationType: 'native' })
  })
  after(() => service.close())

  async function assertRejected(
    path: string,
    method: string,
    query: string,
    headers: Record<string, string> = {},
  ) {
    const description = `${method} ${path} ${query.slice(0, 300)}`
    const target = method === 'GET' ? `${path}?${query}` : path
    const { status } = await send(service.url, target, {
      method,
      headers: { ...HTML, ...(method === 'POST' && FORM), ...headers },
      ...(method === 'POST' && { body: query }),
    })
    assert.ok(status >= 200 && status < 500, `${status}: ${description}`)
    return status
  }

  it('never causes a server error if it is binary, too long or missing', async () => {
    const valid = new URLSearchParams(authorizationRequest(app).path.split('?')[1])
    for (const { path, names, method } of ENDPOINTS)
      for (const name of names) {
        const query = new URLSearchParams(
          path === '/oidc/auth' || path === '/oidc/request'
            ? valid
            : { grant_type: 'refresh_token', scope: 'openid' },
        )
        query.delete(name)
        const headers = /token|request|device\/auth/.test(path) ? basicAuthorization(app) : {}
        await Promise.all(
          MALFORMED.map((junk) =>
            assertRejected(path, method, `${query.toString()}&${name}=${junk}`, headers),
          ),
        )
      }
  })

  it('is rejected immediately, whatever its length', async () => {
    const long = 'A'.repeat(100_000)
    for (const { path, names, method } of ENDPOINTS)
      for (const name of names.slice(0, 6))
        await assertRejected(
          path,
          method,
          `${name}=${long}`,
          path.includes('token') ? basicAuthorization(app) : {},
        )
    const scopes = Array.from({ length: 10_000 }, (_, index) => `s${index}`).join(' ')
    const tooMany = new URLSearchParams({
      scope: scopes.slice(0, 50_000),
      grant_type: 'client_credentials',
    }).toString()
    assert.equal(await assertRejected('/oidc/token', 'POST', tooMany, basicAuthorization(app)), 400)
    const openid = new URLSearchParams({ scope: Array(6_000).fill('openid').join(' ') }).toString()
    await assertRejected('/oidc/request', 'POST', openid, basicAuthorization(app))
    await assertRejected(
      '/oidc/token',
      'POST',
      Array.from({ length: 5_000 }, (_, index) => `p${index}=1`).join('&'),
      basicAuthorization(app),
    )
  })

  it('never causes a server error on our own pages', async () => {
    const browser = new PlainBrowser(service.url)
    const page = await browser.get(authorizationRequest(app).path)
    const uid = new URL(page.url).searchParams.get('interaction') ?? ''
    const csrf = csrfTokenOf(page)
    for (const path of [
      '/sign-in',
      '/sign-in/second-factor',
      '/sign-in/passkey',
      '/sign-in/passkey/options',
      `/interaction/${uid}`,
    ]) {
      const cookie = browser.cookieHeader(path)
      for (const name of PAGE)
        for (const junk of MALFORMED.slice(0, 8)) {
          const rest = name === '_csrf' ? '' : `_csrf=${encodeURIComponent(csrf)}&`
          await assertRejected(path, 'POST', `${rest}${name}=${junk}`, {
            cookie,
            origin: service.url,
          })
        }
      await assertRejected(
        path,
        'POST',
        `_csrf=${encodeURIComponent(csrf)}&response=${'['.repeat(30_000)}`,
        { cookie, origin: service.url },
      )
      await assertRejected(
        path,
        'POST',
        `_csrf=${encodeURIComponent(csrf)}&email=${'%F0%9F%98%80'.repeat(5_000)}`,
        { cookie, origin: service.url },
      )
    }
    for (const junk of [...MALFORMED, '..', '%2e%2e', '.', 'A'.repeat(10_000), uid.slice(0, -1)])
      for (const path of ['/interaction/', '/oidc/auth/', '/oidc/device/', '/sign-in?interaction='])
        for (const method of ['GET', 'POST']) {
          const { status } = await send(service.url, path + junk, {
            method,
            headers: { ...HTML, ...FORM },
          })
          assert.ok(status < 500, `${status} for ${method} ${path}${junk.slice(0, 60)}`)
        }
  })

  it('is ignored in a cookie', async () => {
    const names = [
      'mokuroku-session',
      'mokuroku-session.sig',
      'mokuroku-interaction',
      'mokuroku-resume',
      'mokuroku-csrf',
      'mokuroku-device',
      'mokuroku-second-factor',
      'mokuroku-lang',
      '__proto__',
    ]
    for (const junk of [
      '%00',
      '%ff',
      '%',
      '"',
      '""',
      '{}',
      '[object Object]',
      'a'.repeat(3_000),
      '%E2%80%AE',
      '0',
      '\xff',
    ])
      for (const path of [
        '/sign-in',
        '/oidc/device',
        authorizationRequest(app).path,
        `/interaction/${'A'.repeat(43)}`,
      ]) {
        const cookie = names.map((name) => `${name}=${junk.slice(0, 900)}`).join('; ')
        const { status } = await send(service.url, path, { headers: { ...HTML, cookie } })
        assert.ok(status < 500, `${status} for ${junk.slice(0, 20)} at ${path}`)
      }
  })
})

describeOnDatabase('a malformed request', (engine) => {
  let service: TestService
  let app: TestApp
  before(async () => {
    service = await shareService(engine)
    app = await createClient(service, { applicationType: 'native' })
  })
  after(() => service.close())

  it('gets a response without a server error, whatever its parameters', async () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom('', 'S256', 'code', 'none', 'openid', 'consent login', '__proto__'),
    )
    const name = fc.oneof(
      fc.constantFrom(...AUTHORIZATION, ...PAGE),
      fc.string({ maxLength: 10 }),
      fc.constantFrom('__proto__', 'constructor', 'toString', 'interaction', 'lang'),
    )
    const parameters = fc.array(fc.tuple(name, value), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(
        parameters,
        fc.boolean(),
        fc.constantFrom('/oidc/auth', '/sign-in', '/oidc/device'),
        async (pairs, valid, path) => {
          const start = valid ? authorizationRequest(app).path.split('?')[1] : ''
          const query = new URLSearchParams(start)
          for (const [key, text] of pairs)
            if (valid) query.set(key, text)
            else query.append(key, text)
          const get = await send(service.url, `${path}?${query.toString()}`, { headers: HTML })
          assert.ok(get.status < 500, `${get.status}`)
          const post = await send(service.url, path, {
            method: 'POST',
            headers: { ...HTML, ...FORM },
            body: query.toString(),
          })
          assert.ok(post.status < 500, `${post.status}`)
        },
      ),
      { numRuns: 150 },
    )
  })

  it('without cookies still gets a working device form', async () => {
    const { body } = await postToProvider(
      `${service.url}/oidc/device/auth`,
      { scope: 'openid' },
      basicAuthorization(app),
    )
    const browser = new PlainBrowser(service.url)
    const page = await browser.post('/oidc/device', { user_code: String(body['user_code']) })
    assert.ok(page.status < 500)
    const next = await browser.submit(page, { user_code: String(body['user_code']) })
    assert.ok(
      next.forms.some(({ fields }) => fields['confirm'] === 'yes'),
      next.text,
    )
  })

  it('with an unsupported method changes nothing', async () => {
    for (const path of [
      '/oidc/auth',
      '/oidc/token',
      '/oidc/jwks',
      '/oidc/request',
      '/oidc/device',
      '/oidc/session/end',
      '/sign-in',
      `/interaction/${'A'.repeat(43)}`,
    ])
      for (const method of ['PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY']) {
        const { status } = await send(service.url, path, {
          method,
          headers: { ...HTML, 'x-http-method-override': 'POST', 'x-http-method': 'GET' },
        }).catch(() => ({ status: 400 }))
        assert.ok(status >= 400 && status < 500, `${method} ${path}: ${status}`)
      }
    for (const name of ['x-http-method-override', 'x-method-override']) {
      const { status } = await send(
        service.url,
        '/oidc/token?grant_type=client_credentials&_method=POST',
        { headers: { [name]: 'POST', ...basicAuthorization(app) } },
      )
      assert.equal(status, 405)
    }
  })
})
