import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  sendTokenRequest,
  authorizationRequest,
  createUser,
  postToProvider,
  redeem,
  signedInBrowser,
  type TestUser,
} from '#test/authorization.ts'
import { PlainBrowser } from '#test/browser.ts'
import { readDocument } from '#test/openapi.ts'
import { startService, type TestService } from '#test/service.ts'
import { REFERENCE_CLIENT_ID, referenceRedirectUri } from '../../apps/operator/first-party.ts'
import { readReference } from './document.ts'

const HTML = { accept: 'text/html' }
const API_URL = 'https://api.example.org'

describe('the reference', () => {
  let service: TestService
  let user: TestUser
  const { operations, schemas } = readReference(readDocument())
  before(async () => {
    service = await startService({ environment: { API_URL } })
    user = await createUser(service, 'Ann')
  })
  after(() => service.close())

  async function send(path: string) {
    const response = await service.get(path, undefined, HTML)
    const text = await response.text()
    const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(text) ?? []
    return { status: response.status, headers: response.headers, text, main }
  }
  const listed = (main: string) =>
    [...main.matchAll(/<li data-text="[^"]*"><a href="\/docs\/(\w+)"/g)].map(([, id = '']) => id)

  it('has a page for every operation that shows everything the document says', async () => {
    const { main } = await send('/docs')
    assert.deepEqual(listed(main).toSorted(), [...operations.keys()].toSorted())
    for (const operation of operations.values()) {
      const page = await send(`/docs/${operation.id}`)
      assert.equal(page.status, 200, operation.id)
      assert.doesNotMatch(page.main, /undefined|\[object|NaN/, operation.id)
      for (const { name } of operation.parameters)
        assert.ok(page.main.includes(`<code>${name}</code>`), `${operation.id} ${name}`)
      for (const { status } of operation.responses)
        assert.ok(
          page.main.includes(`<span class="status">${status}</span>`),
          `${operation.id} ${status}`,
        )
      if (operation.path.startsWith('/v3/user/me'))
        assert.ok(page.main.includes(API_URL), operation.id)
    }
  })

  it('has no broken links', async () => {
    const seen = new Set<string>()
    for (const name of schemas.keys()) {
      const { status, main } = await send(`/docs/schemas/${name}`)
      assert.equal(status, 200, name)
      assert.doesNotMatch(main, /undefined|\[object/, name)
      for (const [, href = ''] of main.matchAll(/href="(\/docs\/[^"#]*)/g)) seen.add(href)
    }
    const errors = await send('/docs/errors')
    for (const { id } of operations.values()) {
      const { main } = await send(`/docs/${id}`)
      for (const [, anchor = ''] of main.matchAll(/href="\/docs\/errors#([^"]+)"/g))
        assert.ok(errors.main.includes(`id="${anchor}"`), `${id} ${anchor}`)
      for (const [, href = ''] of main.matchAll(/href="(\/docs\/[^"#]*)/g)) seen.add(href)
    }
    for (const href of seen) assert.equal((await send(href)).status, 200, href)
  })

  it('is filtered by words in any order and letter case', async () => {
    const { main } = await send('/docs?q=IntoCollection%20PUT')
    assert.deepEqual(listed(main).toSorted(), ['putIntoCollection'])
    assert.match((await send('/docs?q=nothing-like-it')).main, /No operations match/)
  })

  it('finds operations and sections of the guide, regardless of case and width', async () => {
    for (const word of ['device code', 'ＤＥＶＩＣＥ　ＣＯＤＥ']) {
      const { main } = await send(`/docs?q=${encodeURIComponent(word)}`)
      assert.match(main, /<a href="\/guide\/device[#"]/, word)
    }
    const { main } = await send('/docs?q=tag%20works')
    assert.ok(listed(main).includes('listTagWorks'))
  })

  it('names each operation by one title in the list, the navigation and its page', async () => {
    const titles = new Set([...operations.values()].map(({ title }) => title))
    assert.equal(titles.size, operations.size)
    const { main } = await send('/docs/listTagWorks')
    assert.match(main, /<h1>List tag works<\/h1>/)
    assert.match(main, /aria-current="page">List tag works</)
    assert.match((await send('/docs')).main, /<span class="summary">List tag works<\/span>/)
    assert.ok(
      main.indexOf('<summary>Example') <
        main.indexOf('class="fields"', main.indexOf('id="answers"')),
    )
  })

  it('escapes the search text and truncates it', async () => {
    for (const q of [
      '"><script>alert(1)</script>',
      "'-alert(1)-'",
      '<!--',
      '{{7*7}}',
      '%',
      '\u202e',
      '\ud83d',
    ]) {
      const { status, main } = await send(`/docs?q=${encodeURIComponent(q.toWellFormed())}`)
      assert.equal(status, 200, q)
      assert.doesNotMatch(main, /<script|<!--/, q)
    }
    assert.equal((await send(`/docs?q=${'x'.repeat(5_000)}`)).main.match(/x{101}/), null)
    assert.equal((await send('/docs?q=%00')).status, 422)
    assert.equal((await send('/docs?q=a&q=b')).status, 200)
  })

  it('returns a 404 page for an unknown operation or schema', async () => {
    for (const path of [
      'nothing',
      '__proto__',
      'constructor',
      'schemas/constructor',
      'schemas/x',
      '%2e%2e%2fopenapi.json',
      'getgalgame',
      'static/index.css',
    ])
      assert.deepEqual([path, (await send(`/docs/${path}`)).status], [path, 404])
    assert.match((await send('/docs/nothing')).text, /<a class="brand" href="\/">/)
  })

  it('allows browsers to load scripts from and connect to this service only', async () => {
    const { authUrl } = service.config
    for (const path of [
      '/docs',
      '/docs/getGalgame',
      '/docs/callback?code=x&state=y',
      '/guide',
      '/guide/start',
    ]) {
      const { headers, text } = await send(path)
      const policy = headers.get('content-security-policy') ?? ''
      assert.match(policy, /^default-src 'none'; style-src 'self'; script-src 'self';/, path)
      assert.doesNotMatch(policy, /unsafe/)
      const hosts = path.startsWith('/docs') ? `'self' ${authUrl} ${API_URL}` : "'self'"
      assert.ok(policy.includes(`connect-src ${hosts};`), policy)
      assert.doesNotMatch(text, /<script(?![^>]* src="\/assets\/)|<style| style=| on\w+="/, path)
      for (const [, href = ''] of text.matchAll(/(?:<script src|rel="stylesheet" href)="([^"]+)"/g))
        assert.equal((await service.get(href)).status, 200, href)
    }
  })

  it('does not cache or leak a URL that contains a code', async () => {
    const { headers, text } = await send('/docs/callback?code=the-secret-code&state=the-state')
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin')
    const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(text) ?? []
    assert.doesNotMatch(main, /the-secret-code|the-state/)
  })

  it("describes operations in the viewer's language, and finds them in that language and in English", async () => {
    const inJapanese = async (path: string) =>
      (await service.get(path, undefined, { ...HTML, 'accept-language': 'ja' })).text()
    assert.match(await inJapanese('/docs/createCollection'), /<h1>コレクションを作成する<\/h1>/)
    for (const word of ['コレクションを作成する', 'Create a collection']) {
      const found = listed(await inJapanese(`/docs?q=${encodeURIComponent(word)}`))
      assert.ok(found.includes('createCollection'), word)
    }
  })

  describe('the reference as an app', () => {
    const app = { clientId: REFERENCE_CLIENT_ID, secret: '' }
    const redirectUri = () => referenceRedirectUri(service.config.authUrl)
    const request = (parameters: Record<string, string> = {}) =>
      authorizationRequest(app, {
        redirect_uri: redirectUri(),
        scope: 'status:write',
        ...parameters,
      })
    const errorOf = (url: string) => new URL(url).searchParams.get('error')

    it('gets a one-hour token for the granted scopes, without a refresh token', async () => {
      const browser = await signedInBrowser(service, user)
      const { path, verifier } = request({
        scope: 'status:write catalog:read offline_access',
        prompt: 'consent',
      })
      const consent = await browser.get(path)
      assert.match(consent.text, /mokuroku API reference/)
      const done = await browser.submit(consent, { decision: 'allow' })
      assert.ok(done.url.startsWith(`${redirectUri()}?code=`), done.url)
      const code = new URL(done.url).searchParams.get('code') ?? ''
      const { status, body } = await redeem(service, app, code, verifier, redirectUri())
      assert.equal(status, 200)
      assert.equal(body['refresh_token'], undefined)
      assert.equal(body['expires_in'], 3_600)
      const rates = await service.get('/v3/user/me/rates', String(body['access_token']))
      assert.equal(rates.status, 200)
      const apps = await service.get('/api/v3/user/me/developer/apps', String(body['access_token']))
      assert.equal(apps.status, 403)
      assert.equal(
        (await redeem(service, app, code, verifier, redirectUri())).status,
        400,
        'a second time',
      )
    })

    it("cannot manage the user's apps or use another redirect URI", async () => {
      const browser = await signedInBrowser(service, user)
      assert.equal(
        errorOf((await browser.get(request({ scope: 'developer:apps' }).path)).url),
        'invalid_scope',
      )
      assert.equal(
        errorOf((await browser.get(request({ scope: 'catalog:sync' }).path)).url),
        'invalid_scope',
      )
      for (const redirect_uri of [
        `${redirectUri()}/`,
        `${redirectUri()}?x`,
        `${service.url}/docs`,
        'https://evil.example/docs/callback',
      ]) {
        const { status, location } = await new PlainBrowser(service.url).get(
          request({ redirect_uri }).path,
        )
        assert.deepEqual([redirect_uri, status, location], [redirect_uri, 400, undefined])
      }
    })

    it('cannot get a token by any other flow', async () => {
      const device = await postToProvider(`${service.url}/oidc/device/auth`, {
        client_id: REFERENCE_CLIENT_ID,
        scope: 'openid',
      })
      assert.equal(device.status, 400)
      const own = await sendTokenRequest(service, app, {
        grant_type: 'client_credentials',
        scope: 'catalog:read',
      })
      assert.equal(own.status, 400)
    })
  })
})
