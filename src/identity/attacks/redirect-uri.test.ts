import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnDatabase } from '#test/databases.ts'
import {
  authorizationRequest,
  createClient,
  createUser,
  completeFlow,
  obtainTokens,
  type TestUser,
} from '#test/authorization.ts'
import { PlainBrowser } from '#test/browser.ts'
import type { TestApp, TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { HTML, send, unescapedIn } from '#test/attacks.ts'

const WEB_URI = 'https://app.example.org/oauth/callback'
const LOOPBACK = 'http://127.0.0.1:14792/callback'
const NATIVE = 'com.example.app:/callback'
const WITH_QUERY = 'https://app.example.org/cb?tenant=1'
const V6 = 'http://[::1]:14792/callback'

const LOOKALIKES = [
  'HTTPS://app.example.org/oauth/callback',
  'https://APP.example.org/oauth/callback',
  'https://app.example.org/OAuth/callback',
  'https://app.example.org/oauth/callback/',
  'https://app.example.org/oauth/callback?',
  'https://app.example.org/oauth/callback#',
  'https://app.example.org/oauth/callback#x',
  'https://app.example.org/oauth/callback?x=1',
  'https://app.example.org/oauth/callback;x',
  'https://app.example.org/oauth/callback/more',
  'https://app.example.org/oauth/callbackx',
  'https://app.example.org/oauth/callbac',
  'https://app.example.org/oauth//callback',
  'https://app.example.org/oauth/./callback',
  'https://app.example.org/oauth/x/../callback',
  'https://app.example.org/oauth/callback/../../steal',
  'https://app.example.org/oauth/%63allback',
  'https://app.example.org/oauth%2Fcallback',
  'https://app.example.org/oauth%252Fcallback',
  'https://app.example.org:443/oauth/callback',
  'https://app.example.org:8443/oauth/callback',
  'http://app.example.org/oauth/callback',
  'https://app.example.org./oauth/callback',
  'https://app.example.org.evil.example/oauth/callback',
  'https://evil.app.example.org/oauth/callback',
  'https://evilapp.example.org/oauth/callback',
  'https://app.example.org@evil.example/oauth/callback',
  'https://user:pw@app.example.org/oauth/callback',
  'https://evil.example/https://app.example.org/oauth/callback',
  'https://evil.example?https://app.example.org/oauth/callback',
  'https://evil.example#https://app.example.org/oauth/callback',
  'https://evil.example\\@app.example.org/oauth/callback',
  'https:\\\\app.example.org\\oauth\\callback',
  'https:/app.example.org/oauth/callback',
  'https:app.example.org/oauth/callback',
  '//app.example.org/oauth/callback',
  '/oauth/callback',
  ' https://app.example.org/oauth/callback',
  'https://app.example.org/oauth/callback ',
  'https://app.example.org/oauth/call\tback',
  'https://app.example.org/oauth/callback\r\nLocation: https://evil.example',
  'https://app.example.org/oauth/callback\0',
  'https://app.example.org/oauth/callback\u0000.evil.example',
  'https://\u0430pp.example.org/oauth/callback',
  'https://app.example.org\u3002evil.example/oauth/callback',
  `${WEB_URI} ${LOOPBACK}`,
  `${WEB_URI},${LOOPBACK}`,
  `["${WEB_URI}"]`,
  'http://localhost:14792/callback',
  'http://[::1]:14793/callback',
  'http://127.0.0.1:14793/callback',
  'http://127.0.0.1/callback',
  'http://127.1:14792/callback',
  'http://2130706433:14792/callback',
  'http://0x7f000001:14792/callback',
  'http://[::ffff:127.0.0.1]:14792/callback',
  'http://[0:0:0:0:0:0:0:1]:14792/callback',
  'http://[::1%25lo]:14792/callback',
  'https://127.0.0.1:14792/callback',
  'com.example.app:callback',
  'com.example.app://callback',
  'COM.example.app:/callback',
  'com.example.app:/callback/',
  'com.example.application:/callback',
  'https://app.example.org/cb',
  'https://app.example.org/cb?tenant=2',
  'https://app.example.org/cb?tenant=1&tenant=2',
  'https://app.example.org/cb?tenant=%31',
  'javascript:alert(1)//https://app.example.org/oauth/callback',
  'data:text/html,<script>alert(1)</script>',
  '"><script>alert(1)</script>',
  '',
]

describeOnDatabase('a redirect_uri that resembles a registered one', (engine) => {
  let service: TestService
  let app: TestApp
  let user: TestUser
  before(async () => {
    service = await shareService(engine)
    app = await createClient(service, { redirectUris: [WEB_URI, LOOPBACK, NATIVE, WITH_QUERY, V6] })
    user = await createUser(service)
  })
  after(() => service.close())

  it('gets a page with status 400 and never a redirect', async () => {
    for (const redirect_uri of LOOKALIKES) {
      const { path } = authorizationRequest(app, { redirect_uri })
      const { status, headers, text } = await send(service.url, path, { headers: HTML })
      assert.equal(status, 400, `${JSON.stringify(redirect_uri)}: ${status} ${headers.location}`)
      assert.equal(headers.location, undefined, redirect_uri)
      assert.match(String(headers['content-type']), /^text\/html/)
      assert.deepEqual(unescapedIn(text), [], redirect_uri)
      assert.doesNotMatch(text, /http-equiv|<a [^>]*href="(?![/#])/i, 'no link leads there either')
    }
  })

  it('gets no redirect if the request has another error', async () => {
    const faults = [
      { scope: 'nothing' },
      { scope: undefined },
      { response_type: 'token' },
      { response_type: undefined },
      { response_mode: 'fragment' },
      { response_mode: 'form_post' },
      { response_mode: 'somehow' },
      { code_challenge: undefined },
      { code_challenge_method: 'plain' },
      { state: undefined },
      { prompt: 'none' },
      { prompt: 'somehow' },
      { resource: 'https://other.example' },
      { request: 'x' },
      { request_uri: 'https://evil.example' },
    ]
    for (const fault of faults) {
      const { path } = authorizationRequest(app, {
        redirect_uri: 'https://evil.example/cb',
        ...fault,
      })
      const { status, headers } = await send(service.url, path, { headers: HTML })
      assert.deepEqual([status, headers.location], [400, undefined], JSON.stringify(fault))
    }
  })

  it('is rejected when it is sent twice in either order, or as an array', async () => {
    const { path } = authorizationRequest(app, { redirect_uri: WEB_URI })
    const { path: bare } = authorizationRequest(app, { redirect_uri: undefined })
    const evil = encodeURIComponent('https://evil.example/cb')
    const good = encodeURIComponent(WEB_URI)
    for (const uri of [
      `${path}&redirect_uri=${evil}`,
      `${path}&redirect_uri=${good}`,
      `${bare}&redirect_uri=${evil}&redirect_uri=${good}`,
      `${bare}&redirect_uri[]=${good}`,
      `${bare}&redirect_uri[0]=${good}`,
      `${bare}&Redirect_Uri=${good}`,
      `${bare}&redirect_uri%00=${good}`,
      bare,
    ]) {
      const { status, headers } = await send(service.url, uri, { headers: HTML })
      assert.deepEqual([status, headers.location], [400, undefined], uri)
    }
  })

  it('gets no redirect for an unknown client', async () => {
    for (const client_id of [
      '',
      'mk_nobody',
      `${app.clientId}x`,
      app.clientId.toUpperCase(),
      `${app.clientId}\0`,
      '<b>',
    ]) {
      const { path } = authorizationRequest(app, { client_id, redirect_uri: WEB_URI })
      const { status, headers, text } = await send(service.url, path, { headers: HTML })
      assert.deepEqual([status, headers.location], [400, undefined], JSON.stringify(client_id))
      assert.deepEqual(unescapedIn(text), [])
    }
    const { path } = authorizationRequest(app, { redirect_uri: WEB_URI })
    const { status, headers } = await send(service.url, `${path}&client_id=${app.clientId}`, {
      headers: HTML,
    })
    assert.deepEqual([status, headers.location], [400, undefined], 'two clients')
  })

  it('is also rejected in a pushed request', async () => {
    for (const redirect_uri of [
      'https://evil.example/cb',
      `${WEB_URI}/`,
      'http://localhost:14792/callback',
    ]) {
      const { path } = authorizationRequest(app, { redirect_uri })
      const body = path.slice(path.indexOf('?') + 1)
      const response = await fetch(`${service.url}/oidc/request`, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          authorization: `Basic ${Buffer.from(`${app.clientId}:${app.secret}`).toString('base64')}`,
        },
        body,
      })
      assert.equal(response.status, 400)
      assert.doesNotMatch(await response.text(), /request_uri"/)
    }
  })

  it('cannot replace the redirect_uri of a pushed request', async () => {
    const { path } = authorizationRequest(app, { redirect_uri: WEB_URI })
    const response = await fetch(`${service.url}/oidc/request`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${app.clientId}:${app.secret}`).toString('base64')}`,
      },
      body: path.slice(path.indexOf('?') + 1),
    })
    const { request_uri } = (await response.json()) as { request_uri: string }
    const query = new URLSearchParams({
      client_id: app.clientId,
      request_uri,
      redirect_uri: 'https://evil.example/cb',
    })
    const browser = new PlainBrowser(service.url)
    const { location } = await completeFlow(
      browser,
      await browser.get(`/oidc/auth?${query.toString()}`),
      user,
    )
    assert.equal(location?.slice(0, WEB_URI.length + 1), `${WEB_URI}?`)
  })

  it('must be identical at the token endpoint', async () => {
    for (const redirect_uri of [LOOPBACK, WITH_QUERY]) {
      const tokens = await obtainTokens(service, { app, user, redirect_uri })
      assert.equal(tokens.token_type, 'Bearer', `${redirect_uri} itself is fine`)
    }
  })
})

describeOnDatabase('an open redirect', (engine) => {
  let service: TestService
  let app: TestApp
  before(async () => {
    service = await shareService(engine)
    app = await createClient(service)
  })
  after(() => service.close())

  const TARGETS = [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    'https:evil.example',
    '\\\\evil.example',
  ]
  const NAMES = `
  next return returnTo return_to redirect redirect_uri redirect_url continue url to
  interaction target_link_uri post_logout_redirect_uri lang ui_locales iss
`
    .trim()
    .split(/\s+/)

  it('is not possible through any parameter of any page', async () => {
    const own = (location: string) => new URL(location, service.url).origin === service.url
    for (const page of [
      '/sign-in',
      '/sign-in/second-factor',
      '/oidc/session/end',
      '/oidc/device',
      '/oidc/session/end/success',
    ])
      for (const target of TARGETS) {
        const query = new URLSearchParams(
          Object.fromEntries(NAMES.map((name) => [name, target])),
        ).toString()
        for (const uri of [
          `${page}?${query}`,
          `${page}?lang=ja&${query}`,
          `${page}?${query}&lang=ja`,
        ]) {
          const { status, headers } = await send(service.url, uri, { headers: HTML })
          assert.ok(
            headers.location === undefined || own(headers.location),
            `${uri} → ${headers.location}`,
          )
          assert.ok(status < 500, `${uri}: ${status}`)
        }
      }
  })

  it('is not possible through the paths of language links', async () => {
    for (const path of [
      '//evil.example/sign-in',
      '/\\evil.example',
      '//evil.example/..',
      '/sign-in//evil.example',
      'http://evil.example/sign-in',
    ]) {
      const { headers } = await send(service.url, `${path}?lang=ja`, { headers: HTML })
      const { location = '/' } = headers
      assert.equal(new URL(location, service.url).origin, service.url, `${path} → ${location}`)
    }
  })

  it('is not possible after a sign-out, because the redirect requires a registered URI and a known app', async () => {
    for (const post_logout_redirect_uri of [
      'https://evil.example',
      'http://127.0.0.1:14792/callback/',
      'javascript:alert(1)',
    ])
      for (const client_id of [app.clientId, 'mk_nobody', '']) {
        const query = new URLSearchParams({ post_logout_redirect_uri, client_id })
        const browser = new PlainBrowser(service.url)
        const page = await browser.get(`/oidc/session/end?${query.toString()}`)
        assert.equal(page.location, undefined)
        if (page.status === 200) {
          const after = await browser.submit(page, { logout: 'yes' })
          assert.equal(after.location, undefined, `${post_logout_redirect_uri} ${client_id}`)
        } else assert.equal(page.status, 400)
      }
  })
})
