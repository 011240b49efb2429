import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import Fastify from 'fastify'
import { signedInAs } from '#test/authorization.ts'
import { csrfTokenOf, PlainBrowser, type Visit } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { setRole } from '../accounts/role-queries.ts'
import { queryText } from '../db/query.ts'
import { guardDesk } from './guard.ts'
import { desk } from './plugin.ts'

type DeskRoute = { method: string; url: string; role: string | undefined }

describeOnDatabase('the desk', (engine) => {
  let service: TestService
  /** Routes as registered, so that new ones are included automatically. */
  const routes: DeskRoute[] = []
  before(async () => {
    service = await shareService(engine)
    const app = Fastify()
    app.addHook('onRoute', ({ method, url, config }) => {
      for (const name of [method].flat()) routes.push({ method: name, url, role: config?.role })
    })
    await app.register(desk, {
      db: service.db,
      contact: 'mailto:desk@example.com',
      legalPages: new Map(),
      defaultLanguage: 'en',
    } as never)
    await app.close()
  })
  after(() => service.close())

  const pathOf = ({ url }: DeskRoute) => url.replaceAll(/:(\w+)/g, '1')
  const send = (
    browser: PlainBrowser,
    { method, path }: { method: string; path: string },
    csrf = '',
  ) =>
    method === 'POST' ? browser.post(path, { _csrf: csrf, reason: 'OTHER' }) : browser.get(path)

  /** Returns what the viewer sees of a nonexistent page, without the request ID. */
  async function assertLikeNothing(
    browser: PlainBrowser,
    route: DeskRoute,
    csrf = '',
    absent = '/no-such-address',
  ) {
    const { method } = route
    const response = await send(browser, { method, path: pathOf(route) }, csrf)
    const missing = await send(browser, { method, path: absent }, csrf)
    const name = `${method} ${route.url}`
    assert.equal(response.status, 404, name)
    // Links to the page in other languages repeat its path.
    assert.equal(
      response.text.replaceAll(pathOf(route), ''),
      missing.text.replaceAll(absent, ''),
      name,
    )
    // The compression differs, which reveals nothing: the existence of these paths is public.
    const names = (visit: Visit) =>
      [...visit.headers.keys()].filter(
        (name) => !/^(content-(length|encoding)|vary|transfer-encoding)$/.test(name),
      )
    assert.deepEqual(names(response).toSorted(), names(missing).toSorted(), name)
  }

  it('requires a role on every route, and does not start if a route has none', async () => {
    assert.ok(routes.length > 0)
    for (const { method, url, role } of routes) {
      assert.match(url, /^\/desk(\/|$)/)
      assert.ok(role === 'MODERATOR' || role === 'ADMIN', `${method} ${url}`)
    }
    const app = Fastify()
    guardDesk(app)
    assert.throws(() => app.get('/desk/open', () => ''), /is a desk page without a role/)
    await app.close()
  })

  it('returns 404 to guests and users without a role, for every path and method', async () => {
    const guest = new PlainBrowser(service.url)
    const { browser: user } = await signedInAs(service, null)
    const csrf = csrfTokenOf(await user.get('/library/galgames/1'))
    for (const route of routes.filter(({ method }) => method !== 'HEAD')) {
      await assertLikeNothing(guest, route)
      await assertLikeNothing(user, route, csrf)
    }
    const put = await fetch(`${service.url}/desk`, {
      method: 'PUT',
      headers: { accept: 'text/html' },
    })
    assert.equal(put.status, 404, 'in no other method either')
  })

  it('hides every administrator page from moderators', async () => {
    const { browser } = await signedInAs(service, 'MODERATOR')
    const csrf = csrfTokenOf(await browser.get('/library/galgames/1'))
    for (const route of routes.filter(({ method, role }) => method !== 'HEAD' && role === 'ADMIN'))
      // Pages below /desk, which mark the desk as the current section.
      await assertLikeNothing(browser, route, csrf, '/desk/no-such-address')
    assert.equal((await browser.get('/desk')).status, 200)
  })

  it('returns 404 to users whose role has been removed or whose account is banned', async () => {
    await signedInAs(service, 'ADMIN')
    const { browser, id } = await signedInAs(service, 'ADMIN')
    assert.equal((await browser.get('/desk')).status, 200)
    assert.match((await browser.get('/')).text, /href="\/desk"/)
    await setRole(service.db, id, null)
    assert.equal((await browser.get('/desk')).status, 404)
    assert.doesNotMatch((await browser.get('/')).text, /href="\/desk"/)
  })

  it('keeps one administrator even if the last two are demoted concurrently', async () => {
    await queryText(service.db, 'update accounts set role = null where role is not null', [])
    const { id: first } = await signedInAs(service, 'ADMIN')
    const { id: second } = await signedInAs(service, 'ADMIN')
    const outcomes = await Promise.all([first, second].map((id) => setRole(service.db, id, null)))
    assert.deepEqual(outcomes.map(({ outcome }) => outcome).toSorted(), ['changed', 'last_admin'])
  })
})
