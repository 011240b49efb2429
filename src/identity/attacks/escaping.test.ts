import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnDatabase } from '#test/databases.ts'
import {
  authorizationRequest,
  basicAuthorization,
  createClient,
  createUser,
  postToProvider,
  type TestUser,
} from '#test/authorization.ts'
import { formWith, PlainBrowser, type Visit } from '#test/browser.ts'
import type { TestApp, TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { HTML, PAYLOADS, send, unescapedIn } from '#test/attacks.ts'

const PAGES = [
  '/sign-in',
  '/sign-in/second-factor',
  '/oidc/device',
  '/oidc/session/end',
  '/oidc/auth',
  '/oidc/session/end/success',
]
const PARAMETERS = `
  client_id redirect_uri state nonce scope login_hint ui_locales prompt response_type error
  error_description user_code interaction post_logout_redirect_uri id_token_hint lang
  acr_values claims display request request_uri resource response_mode email max_age
`
  .trim()
  .split(/\s+/)

/** Asserts that the page runs none of its text and cannot be framed. */
function assertSafe(
  { status, text, headers }: { status: number; text: string; headers: Headers },
  name: string,
) {
  assert.match(headers.get('content-type') ?? '', /^text\/html/, `${name}: ${status}`)
  assert.deepEqual(unescapedIn(text), [], name)
  assert.doesNotMatch(text, /<script(?![^>]* src="\/assets\/)/, `${name}: a script in the page`)
  assert.doesNotMatch(
    text,
    /<[^>]*\son[a-z]+\s*=(?=[^"<>]*>)|<style|<iframe|<base\b|<object/i,
    name,
  )
  const policy = headers.get('content-security-policy') ?? ''
  assert.match(policy, /frame-ancestors 'none'/, name)
  assert.match(policy, /default-src 'none'/, name)
  assert.match(policy, /base-uri 'none'/, name)
  assert.doesNotMatch(policy, /unsafe|\*/, name)
  assert.equal(headers.get('x-frame-options'), 'DENY', name)
  assert.equal(headers.get('x-content-type-options'), 'nosniff', name)
  assert.match(headers.get('referrer-policy') ?? '', /^(?:same-origin|no-referrer)$/, name)
  assert.match(headers.get('cache-control') ?? '', /no-store/, name)
}

describeOnDatabase('a page given hostile text', (engine) => {
  let service: TestService
  let user: TestUser
  let app: TestApp
  before(async () => {
    service = await shareService(engine)
    user = await createUser(service)
    app = await createClient(service)
  })
  after(() => service.close())

  it('shows names of apps and users as text everywhere', async () => {
    for (const name of PAYLOADS.filter((payload) => !/[\r\n]/.test(payload))) {
      const short = name.slice(0, 64)
      const hostile = await createClient(service, {
        applicationType: 'native',
        clientName: short,
        clientUri: `https://evil.example/"><script>alert(1)</script>`,
      })
      await service.db
        .updateTable('accounts')
        .set({ name: short, nickname: short })
        .where('id', '=', user.id)
        .execute()
      const browser = new PlainBrowser(service.url)
      browser.headers = { ...browser.headers, 'user-agent': name, 'accept-language': name }
      const check = (visit: Visit, label: string) => {
        assert.equal(visit.location, undefined, label)
        assertSafe(visit, `${label}, ${name}`)
        return visit
      }
      const { path } = authorizationRequest(hostile, {
        login_hint: name,
        state: name,
        nonce: name,
        prompt: 'consent',
      })
      const signIn = check(await browser.get(path), 'sign-in')
      assert.match(signIn.text, /&lt;|&quot;|&#39;|constructor/, 'the name is really there')
      check(await browser.submit(signIn, { email: name, password: name }), 'wrong password')
      const consent = check(
        await browser.submit(signIn, { email: user.email, password: user.password }),
        'consent',
      )
      assert.ok(consent.forms.some(({ buttons }) => buttons.length > 1))
      check(
        await browser.get(authorizationRequest(hostile, { prompt: 'select_account' }).path),
        'accounts',
      )
      check(await browser.get(`/oidc/session/end?client_id=${hostile.clientId}`), 'sign-out')
      const device = await postToProvider(
        `${service.url}/oidc/device/auth`,
        { scope: 'openid' },
        basicAuthorization(hostile),
      )
      const code = check(await browser.get('/oidc/device'), 'device')
      check(
        await browser.submit(code, { user_code: name }, formWith(code, ['user_code'])),
        'wrong code',
      )
      check(
        await browser.submit(code, { user_code: String(device.body['user_code']) }),
        'device consent',
      )
    }
  })

  it('shows parts of its URL as text, and never copies them into a header', async () => {
    for (const page of PAGES)
      for (const payload of PAYLOADS) {
        const query = new URLSearchParams(
          Object.fromEntries(PARAMETERS.map((name) => [name, payload])),
        ).toString()
        const raw = `${page}?${query}`
        const { status, headers, text } = await send(service.url, raw, { headers: HTML })
        assert.ok(status < 500, `${page}: ${status}`)
        assert.doesNotMatch([headers['set-cookie'] ?? []].flat().join(), /stolen/)
        if (String(headers['content-type']).startsWith('text/html') && status !== 303)
          assertSafe(
            {
              status,
              text,
              headers: new Headers(
                Object.entries(headers).map(([name, value]): [string, string] => [
                  name,
                  String(value),
                ]),
              ),
            },
            raw,
          )
      }
  })

  it('shows each parameter of an authorization request as text', async () => {
    for (const name of PARAMETERS)
      for (const payload of PAYLOADS) {
        const { path } = authorizationRequest(app, { [name]: payload })
        const visit = await new PlainBrowser(service.url).get(path)
        assert.ok(visit.status < 500, `${name}: ${visit.status}`)
        assert.equal(visit.headers.get('x-stolen'), null)
        if (visit.location === undefined) assertSafe(visit, `${name}=${payload}`)
        else
          assert.equal(
            new URL(visit.location).origin,
            'http://127.0.0.1:14792',
            `${name}=${payload}`,
          )
      }
  })

  it('cannot be framed, sniffed or cached, even if it is an error', async () => {
    for (const path of [
      '/interaction/nothing',
      '/sign-in',
      '/oidc/auth',
      '/oidc/device',
      '/oidc/session/end',
      '/oidc/session/end/success',
      `/oidc/auth/${'a'.repeat(43)}`,
      '/sign-in?%00',
    ]) {
      const visit = await new PlainBrowser(service.url).get(path)
      assertSafe(visit, path)
    }
    const posted = await new PlainBrowser(service.url).post('/sign-in', {
      email: '<script>alert(1)</script>',
    })
    assert.equal(posted.status, 403)
    assertSafe(posted, 'a forged form')
  })

  it('is sent with nosniff, even to a client that requests JSON', async () => {
    for (const path of [
      '/oidc/auth?redirect_uri=<script>',
      '/oidc/nowhere?<script>',
      '/oidc/token',
    ]) {
      const { headers, text } = await send(service.url, path.replaceAll('<', '%3C'), {
        headers: { accept: 'application/json' },
      })
      assert.equal(headers['x-content-type-options'], 'nosniff', path)
      assert.doesNotMatch(text, /<script>/)
    }
  })
})
