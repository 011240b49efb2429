import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createUser, submitSignIn, type TestUser } from '#test/authorization.ts'
import { csrfTokenOf, PlainBrowser } from '#test/browser.ts'
import { APP_PAGES, APP_CALLBACK, openConsole, type OpenConsole } from '#test/console.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { routesOf } from '#test/routes.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'

describeOnDatabase('access to the console', (engine) => {
  let service: TestService
  let developer: TestUser
  let browser: PlainBrowser
  let create: OpenConsole['create']
  let stored: OpenConsole['stored']
  before(async () => {
    service = await shareService(engine)
    ;({ developer, browser, create, stored } = await openConsole(service))
  })
  after(() => service.close())

  it('redirects guests to the sign-in page, and back afterwards', async () => {
    const guest = new PlainBrowser(service.url)
    for (const path of ['/console', '/console/new', '/console/apps/mk_0000000000000000/usage']) {
      const page = await guest.get(path)
      assert.equal(new URL(page.url).pathname, '/sign-in')
    }
    const { url } = await submitSignIn(guest, developer)
    assert.equal(new URL(url).pathname, '/console/apps/mk_0000000000000000/usage')
    assert.match((await guest.get('/console/callback?code=a')).text, /You can close this page/)
  })

  it('links its apps and its guides from each page', async () => {
    for (const path of ['/console', '/console/new']) {
      const [nav = ''] =
        /<div class="console .*?<\/nav>/s.exec((await browser.get(path)).text) ?? []
      const links = [...nav.matchAll(/<a href="([^"]+)"( aria-current="true")?>/g)]
      assert.deepEqual(
        links.map(([, href, current]) => [href, current !== undefined]),
        [
          ['/console', true],
          ['/guide', false],
          ['/docs', false],
          ['/guide/limits', false],
        ],
        path,
      )
    }
  })

  it('returns 404 for apps of other developers or the operator, and for unknown ones', async () => {
    const other = await createUser(service, 'Other')
    const otherApp = await create({ redirect_uris: [APP_CALLBACK] }, other)
    const own = await create({ redirect_uris: [APP_CALLBACK] })
    const token = csrfTokenOf(await browser.get(`/console/apps/${own.client_id}/settings`))
    const ofApp = '/console/apps/:client_id'
    const routes = routesOf(service).filter(({ url }) => url.startsWith(ofApp))
    const sections = (method: string) =>
      routes.flatMap((route) => (route.method === method ? [route.url.slice(ofApp.length)] : []))
    const forms = sections('POST')
    assert.deepEqual(
      [forms.length, sections('GET').toSorted()],
      [21, APP_PAGES.map((path) => path.replace(/\?.*/, '')).toSorted()],
    )
    const before = await stored(otherApp.client_id)
    for (const id of [
      otherApp.client_id,
      'mokuroku-console',
      'mk_0000000000000000',
      '..%2fa',
      `a'b`,
    ]) {
      for (const path of APP_PAGES)
        assert.equal((await browser.get(`/console/apps/${id}${path}`)).status, 404, `${id} ${path}`)
      for (const path of forms) {
        const fields = {
          _csrf: token,
          client_name: 'Stolen',
          enabled: 'no',
          confirmation: otherApp.client_name,
          current_password: developer.password,
        }
        assert.equal(
          (await browser.post(`/console/apps/${id}${path}`, fields)).status,
          404,
          `${id} ${path}`,
        )
      }
    }
    assert.deepEqual(await stored(otherApp.client_id), before)
    assert.equal(
      (await browser.post(`/console/apps/${own.client_id}/settings`, {})).status,
      403,
      'no token',
    )
  })
})
