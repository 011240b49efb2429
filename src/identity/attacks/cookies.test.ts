import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnDatabase } from '#test/databases.ts'
import {
  authorizationRequest,
  authorize,
  createClient,
  createUser,
  type TestUser,
} from '#test/authorization.ts'
import { PlainBrowser } from '#test/browser.ts'
import { startService, type TestApp, type TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { FORM, HTML, send, type RawResponse } from '#test/attacks.ts'

type Cookie = { name: string; value: string; attributes: string[] }

const cookiesOf = ({ headers }: RawResponse): Cookie[] =>
  [headers['set-cookie'] ?? []].flat().map((line) => {
    const [pair = '', ...attributes] = line.split(/; */)
    const at = pair.indexOf('=')
    return {
      name: pair.slice(0, at),
      value: pair.slice(at + 1),
      attributes: attributes.map((text) => text.toLowerCase()),
    }
  })

/** URL on which the service is listening, as opposed to its public URL. */
const listening = ({ config }: TestService) => `http://${config.host}:${config.port}`

/** Follows an app's authorization request until the app gets its response, through a proxy that serves https. */
async function followFlow(service: TestService, user: TestUser, origin: string) {
  const app = await createClient(service)
  const jar = new Map<string, string>()
  const seen: Cookie[] = []
  const visit = async (path: string, fields?: Record<string, string>) => {
    const response = await send(listening(service), path, {
      method: fields ? 'POST' : 'GET',
      headers: {
        ...HTML,
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(fields && { ...FORM, origin }),
      },
      ...(fields && { body: new URLSearchParams(fields).toString() }),
    })
    for (const cookie of cookiesOf(response)) {
      seen.push(cookie)
      if (cookie.value !== '') jar.set(cookie.name, cookie.value)
    }
    return response
  }
  const next = ({ status, headers, text }: RawResponse) => {
    assert.equal(status, 303, text)
    const url = new URL(String(headers.location), origin)
    return url.origin === origin ? url.pathname + url.search : url.href
  }
  const csrf = ({ text }: RawResponse) => /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
  const interaction = next(
    await visit(authorizationRequest(app, { scope: 'openid', ui_locales: 'ja' }).path),
  )
  const signIn = next(await visit(interaction))
  const page = await visit(signIn)
  const back = next(
    await visit(signIn, { _csrf: csrf(page), email: user.email, password: user.password }),
  )
  const consent = next(await visit(next(await visit(back))))
  const question = await visit(consent)
  const resume = next(
    await visit(consent.split('?', 1)[0] ?? '', {
      _csrf: csrf(question),
      account: String(user.id),
      decision: 'allow',
    }),
  )
  const response = next(await visit(resume))
  return { seen, answer: response, jar, visit }
}

describeOnDatabase('page cookies of a service with an https URL', (engine) => {
  let service: TestService
  let app: TestApp
  let user: TestUser
  before(async () => {
    service = await startService({ engine, environment: { AUTH_URL: 'https://id.example' } })
    app = await createClient(service)
    user = await createUser(service)
  })
  after(() => service.close())

  it('are Secure, HttpOnly and SameSite, and subdomains cannot set them', async () => {
    const { seen, answer: response } = await followFlow(service, user, 'https://id.example')
    assert.match(response, /[?&]code=/)
    assert.ok(seen.length >= 8)
    for (const { name, attributes } of seen) {
      assert.ok(attributes.includes('httponly'), name)
      assert.ok(attributes.includes('samesite=lax'), name)
      assert.ok(!attributes.some((text) => text.startsWith('domain=')), name)
      assert.ok(attributes.includes('secure'), name)
      // The language cookie can only hold one of a few known values.
      if (name !== 'mokuroku-lang') assert.match(name, /^__(?:Host|Secure)-/)
      if (name.startsWith('__Host-')) assert.ok(attributes.includes('path=/'), name)
    }
    const names = new Set(seen.map(({ name }) => name))
    for (const name of ['session', 'csrf', 'device']) assert.ok(names.has(`__Host-${name}`), name)
  })

  it('are ignored under the names that plain http uses', async () => {
    const { jar, visit } = await followFlow(service, user, 'https://id.example')
    for (const [name, value] of jar) {
      if (!name.startsWith('__')) continue
      jar.set(name.replace(/^__(?:Host|Secure)-/, ''), value)
      jar.delete(name)
    }
    const response = await visit(
      authorizationRequest(app, { prompt: 'none', scope: 'openid' }).path,
    )
    assert.match(String(response.headers.location), /error=login_required/)
  })

  it('are Secure whatever protocol the request claims', async () => {
    const { path } = authorizationRequest(app)
    const spoofedHeaders: Record<string, string>[] = [
      { 'x-forwarded-proto': 'http' },
      { forwarded: 'proto=http' },
      { host: 'evil.example' },
      { 'x-forwarded-host': 'evil.example' },
    ]
    for (const headers of spoofedHeaders) {
      const response = await send(listening(service), path, { headers: { ...HTML, ...headers } })
      assert.equal(response.status, 303)
      assert.match(String(response.headers.location), /^\/interaction\//)
      for (const { attributes } of cookiesOf(response)) assert.ok(attributes.includes('secure'))
      const { text } = await send(listening(service), '/oidc/.well-known/openid-configuration', {
        headers,
      })
      assert.doesNotMatch(text, /evil|http:/)
    }
  })
})

describeOnDatabase('page cookies', (engine) => {
  let service: TestService
  let app: TestApp
  let user: TestUser
  let browser: PlainBrowser
  before(async () => {
    service = await shareService(engine)
    app = await createClient(service)
    user = await createUser(service)
    browser = (await authorize(service, { app, user, scope: 'openid' })).browser
  })
  after(() => service.close())

  const requestCodeSilently = (cookie: string | string[]) =>
    send(service.url, authorizationRequest(app, { prompt: 'none', scope: 'openid' }).path, {
      headers: { ...HTML, cookie },
    })
  const isKnown = async (cookie: string | string[]) =>
    /[?&]code=/.test(String((await requestCodeSilently(cookie)).headers.location))

  it('are host-only and HttpOnly, and other sites send them only with links', async () => {
    const { seen, answer: response } = await followFlow(service, user, service.url)
    assert.match(response, /[?&]code=/)
    for (const { name, attributes } of seen) {
      assert.ok(attributes.includes('httponly') && attributes.includes('samesite=lax'), name)
      assert.ok(!attributes.includes('secure'), `${name} would be lost without https`)
      assert.match(name, /^mokuroku-/, 'an app on another port of the host has the same jar')
      assert.ok(!attributes.some((text) => text.startsWith('domain=')), name)
      assert.ok(
        attributes.some((text) => text.startsWith('path=/')),
        name,
      )
    }
  })

  it('are ignored once modified', async () => {
    const { 'mokuroku-session': session = '', 'mokuroku-session.sig': signature = '' } =
      browser.cookies('/oidc/auth')
    const good = `mokuroku-session=${session}; mokuroku-session.sig=${signature}`
    assert.equal(await isKnown(good), true)
    const flipped = signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))
    for (const cookie of [
      `mokuroku-session=${session}`,
      `mokuroku-session=${session}; mokuroku-session.sig=`,
      `mokuroku-session=${session}; mokuroku-session.sig=${flipped}`,
      `mokuroku-session=${session}; mokuroku-session.sig=${signature}A`,
      `mokuroku-session=${session}x; mokuroku-session.sig=${signature}`,
      `mokuroku-session=${session.toUpperCase()}; mokuroku-session.sig=${signature}`,
      `Mokuroku-Session=${session}; mokuroku-session.sig=${signature}`,
      `__Host-session=${session}; __Host-session.sig=${signature}`,
      `mokuroku-interaction=${session}; mokuroku-interaction.sig=${signature}`,
      `mokuroku-session=%00; mokuroku-session.sig=${signature}`,
      `mokuroku-session[]=${session}; mokuroku-session.sig=${signature}`,
      `mokuroku-session={"jti":1}; mokuroku-session.sig=${signature}`,
      'session=; mokuroku-session.sig=',
      `mokuroku-session=${'A'.repeat(8_000)}; mokuroku-session.sig=${signature}`,
    ]) {
      const { status, headers } = await requestCodeSilently(cookie)
      assert.equal(status, 303, cookie.slice(0, 100))
      assert.match(String(headers.location), /error=login_required/, cookie.slice(0, 100))
    }
  })

  it('cause no error if the browser sends them twice', async () => {
    const { 'mokuroku-session': session = '', 'mokuroku-session.sig': signature = '' } =
      browser.cookies('/oidc/auth')
    for (const cookie of [
      `mokuroku-session=planted; mokuroku-session=${session}; mokuroku-session.sig=${signature}`,
      `mokuroku-session=${session}; mokuroku-session=planted; mokuroku-session.sig=${signature}`,
      `mokuroku-session=${session}; mokuroku-session.sig=x; mokuroku-session.sig=${signature}`,
      ['session=planted', `mokuroku-session=${session}`, `mokuroku-session.sig=${signature}`],
    ]) {
      const { status, headers } = await requestCodeSilently(cookie)
      assert.equal(status, 303)
      assert.match(String(headers.location), /[?&](?:code|error)=/)
    }
  })

  it('cannot be reused as the second-factor cookie, which cannot be forged either', async () => {
    const plain = new PlainBrowser(service.url)
    await plain.get('/sign-in')
    const signed = plain.cookies()['mokuroku-csrf'] ?? ''
    const value = `mokuroku-second-factor..${Date.now() + 600_000}.${user.id}.${Date.now()}`
    for (const cookie of [
      value,
      `${value}.x`,
      `${value}.${signed.split('.').at(-1)}`,
      signed,
      decodeURIComponent(signed),
    ]) {
      const { status, headers } = await send(service.url, '/sign-in/second-factor', {
        headers: { ...HTML, cookie: `mokuroku-second-factor=${encodeURIComponent(cookie)}` },
      })
      assert.deepEqual([status, headers.location], [303, '/sign-in'], cookie)
    }
  })
})
