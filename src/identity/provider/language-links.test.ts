import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  authorizationRequest,
  basicAuthorization,
  createClient,
  createUser,
  obtainTokens,
  postToProvider,
  signedInBrowser,
  type TestUser,
} from '#test/authorization.ts'
import { HTML, send } from '#test/attacks.ts'
import { formWith, PlainBrowser, type Visit } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestApp, TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'

describeOnDatabase('language and theme links on the provider’s pages', (engine) => {
  let service: TestService
  let app: TestApp
  let user: TestUser
  before(async () => {
    service = await shareService(engine)
    app = await createClient(service, {
      applicationType: 'native',
      clientUri: 'https://app.example/',
    })
    user = await createUser(service)
  })
  after(() => service.close())

  const linksOf = ({ text }: Visit) =>
    [...text.matchAll(/ href="([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'))
  const linkTo = (visit: Visit, choice: string) =>
    linksOf(visit).find((href) => href.endsWith(choice)) ??
    assert.fail(`${visit.url} has no ${choice}`)
  const choose = (browser: PlainBrowser, visit: Visit, choice: string) =>
    browser.get(new URL(linkTo(visit, choice), visit.url).href)
  const startDevice = async () => {
    const form = { scope: 'openid' }
    const { body } = await postToProvider(
      `${service.url}/oidc/device/auth`,
      form,
      basicAuthorization(app),
    )
    return String(body['user_code'])
  }

  it('lead back to the same page in the chosen language and theme', async () => {
    const badRequest = new URLSearchParams({ client_id: 'mk_unknown', state: 'a b' }).toString()
    for (const [path, status] of [
      ['/nothing', 404],
      ['/nothing?a=1&b', 404],
      ['/account/nothing', 404],
      ['/oidc/nothing', 404],
      ['/%zz', 400],
      [`/oidc/auth?${badRequest}`, 400],
      ['/oidc/auth/unknown', 400],
      ['/oidc/device', 200],
      ['/oidc/device/unknown', 400],
      ['/oidc/session/end/success', 200],
    ] as const) {
      const browser = new PlainBrowser(service.url)
      const english = await browser.get(path)
      assert.equal(english.status, status, path)
      const japanese = await choose(browser, english, 'lang=ja')
      assert.deepEqual([japanese.status, japanese.url], [status, english.url], path)
      assert.match(japanese.text, /<html lang="ja">/, path)
      assert.match(japanese.text, /lang=ja" lang="ja"[^>]* aria-current="true"/)
      const dark = await choose(browser, japanese, 'theme=dark')
      assert.deepEqual([dark.status, dark.url], [status, english.url], path)
      assert.match(dark.text, /<html lang="ja" data-theme="dark">/, path)
    }
  })

  it('appear on every page of the device flow without repeating the code', async () => {
    const browser = await signedInBrowser(service, user)
    const userCode = await startDevice()
    const assertHidesCode = (visit: Visit) => {
      linkTo(visit, 'lang=zh-Hans')
      for (const href of linksOf(visit))
        assert.doesNotMatch(href, /user_code|[A-Z]{4}-[A-Z]{4}/, visit.url)
    }
    for (const name of ['user_code', 'user%5Fcode']) {
      const typed = await browser.get(`/oidc/device?${name}=${userCode}`)
      assertHidesCode(typed)
    }
    const confirmation = await browser.submit(await browser.get('/oidc/device'), {
      user_code: userCode,
    })
    assert.match(confirmation.text, /name="abort"/)
    assertHidesCode(confirmation)
    const chinese = await choose(browser, confirmation, 'lang=zh-Hans')
    assert.deepEqual([chinese.status, chinese.url], [200, `${service.url}/oidc/device`])
    assert.match(chinese.text, /<html lang="zh-Hans">/)
    const repeated = await browser.submit(chinese, { user_code: userCode })
    const consent = await browser.submit(repeated, {}, formWith(repeated, ['confirm']))
    const done = await browser.submit(consent, { decision: 'allow' })
    assertHidesCode(done)
    const english = await choose(browser, done, 'lang=en')
    assert.equal(english.status, 200)
    assert.match(english.text, /<html lang="en">.*<h1>Device connected<\/h1>/s)
  })

  it('appear on the sign-out page without repeating an ID token, and the page still names the app', async () => {
    const browser = await signedInBrowser(service, user)
    const { id_token = '' } = await obtainTokens(service, { app, user, browser, scope: 'openid' })
    const query = new URLSearchParams({
      id_token_hint: id_token,
      post_logout_redirect_uri: 'https://app.example/',
      state: 'of the app',
    })
    const page = await browser.get(`/oidc/session/end?${query.toString()}`)
    assert.match(page.text, /Test/)
    for (const href of linksOf(page)) assert.doesNotMatch(href, /eyJ/)
    const japanese = await choose(browser, page, 'lang=ja')
    assert.equal(japanese.status, 200)
    assert.match(japanese.text, /<html lang="ja">.*Test/s)
    const { location } = await browser.submit(japanese, { logout: 'yes' })
    assert.equal(location, 'https://app.example/?state=of+the+app')
  })

  it('redirect once, only to URLs of this service, and change nothing but cookies', async () => {
    for (const path of [
      '/nothing?lang=ja',
      '/nothing?%6cang=ja',
      '/galgames?%6cang=ja',
      '//evil.example/nothing?lang=ja',
      '/\\evil.example?lang=ja',
      '/%2f/evil.example?lang=ja',
      'http://evil.example/nothing?lang=ja',
      '/nothing%0d%0aset-cookie:%20a=b?lang=ja&x=%0d%0aset-cookie:%20a=b',
      '/oidc//evil.example?lang=ja',
      '/oidc/device?lang=ja&iss=//evil.example',
    ]) {
      const { status, headers } = await send(service.url, path, { headers: HTML })
      assert.equal(status, 303, path)
      const next = new URL(String(headers.location), service.url)
      assert.equal(next.origin, service.url, path)
      assert.equal(headers['cache-control'], 'no-store')
      assert.match(
        String(headers['set-cookie']),
        /mokuroku-lang=ja; Max-Age=\d+; Path=\/; HttpOnly/,
      )
      assert.doesNotMatch(String(headers['set-cookie']), /\ba=b/)
      const after = await send(service.url, next.pathname + next.search, { headers: HTML })
      assert.notEqual(after.status, 303, `${path} leads to ${next.href}, which redirects again`)
    }
    for (const value of [
      'ja&lang=en',
      'fr',
      'JA',
      'ja%0d%0aset-cookie:a=b',
      'ja;domain=example.org',
      '',
    ]) {
      const { status, headers } = await send(service.url, `/nothing?lang=${value}`, {
        headers: HTML,
      })
      assert.deepEqual([status, headers['set-cookie']], [404, undefined], value)
    }
  })

  it('do not affect API clients, other methods or requests from apps', async () => {
    const assertNotFollowed = async (
      path: string,
      headers: Record<string, string>,
      method = 'GET',
    ) => {
      const response = await send(service.url, path, { method, headers })
      assert.doesNotMatch(
        String(response.headers['set-cookie']),
        /mokuroku-lang/,
        `${method} ${path}`,
      )
      return response
    }
    assert.equal((await assertNotFollowed('/nothing?lang=ja', { accept: '*/*' })).status, 404)
    assert.equal((await assertNotFollowed('/v3/nothing?lang=ja', HTML)).status, 404)
    assert.equal((await assertNotFollowed('/nothing?lang=ja', HTML, 'POST')).status, 404)
    assert.equal((await assertNotFollowed('/nothing?lang=ja', HTML, 'HEAD')).status, 404)
    assert.equal((await assertNotFollowed('/oidc/auth?lang=ja', HTML, 'PUT')).status, 405)
    const { path } = authorizationRequest(app)
    const { headers } = await assertNotFollowed(`${path}&lang=ja`, HTML)
    assert.match(String(headers.location), /\/interaction\//)
  })
})
