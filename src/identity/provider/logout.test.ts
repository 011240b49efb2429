import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import * as openid from 'openid-client'
import {
  CALLBACK,
  catalogStatus,
  createClient,
  createUser,
  obtainTokens,
  openidClient,
  refresh,
  signedInBrowser,
  fetchUserinfo,
  type TestUser,
} from '#test/authorization.ts'
import { eventually, PlainBrowser, type Visit } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestApp, TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'

const POST_LOGOUT_URI = 'https://app.example/'
const SESSION_BOUND = { scope: 'openid catalog:read' }
const OFFLINE = { scope: 'openid offline_access catalog:read', prompt: 'consent' }

describeOnDatabase('RP-initiated logout', (engine) => {
  let service: TestService
  let app: TestApp
  let user: TestUser
  before(async () => {
    service = await shareService(engine)
    app = await createClient(service, { clientUri: POST_LOGOUT_URI })
    user = await createUser(service)
  })
  after(() => service.close())

  const tokensOf = async (
    browser: PlainBrowser,
    parameters: Record<string, string> = SESSION_BOUND,
    client = app,
  ) => {
    const tokens = await obtainTokens(service, { app: client, user, browser, ...parameters })
    return { ...tokens, id_token: tokens.id_token ?? '' }
  }
  const end = (browser: PlainBrowser, parameters: Record<string, string> = {}) =>
    browser.get(`/oidc/session/end?${new URLSearchParams(parameters).toString()}`)
  const isSignedIn = async (browser: PlainBrowser) => {
    const { status, url } = await browser.get('/sign-in')
    return status !== 200 || !url.endsWith('/sign-in')
  }
  const confirm = (browser: PlainBrowser, page: Visit) => browser.submit(page, { logout: 'yes' })
  const isRejected = (token: string) =>
    eventually(async () => (await catalogStatus(service, token)) === '401 AUTH_TOKEN_INVALID')

  it('asks the user for confirmation, and then redirects to the app’s URI with its state', async () => {
    const browser = await signedInBrowser(service, user)
    const { id_token } = await tokensOf(browser)
    const url = openid.buildEndSessionUrl(await openidClient(service, app), {
      id_token_hint: id_token,
      post_logout_redirect_uri: POST_LOGOUT_URI,
      state: 'a state & more',
    })
    const page = await browser.get(url.href)
    assert.equal(page.status, 200)
    assert.match(page.text, /Test/, 'the page names the app')
    assert.ok(await isSignedIn(browser), 'nothing has happened yet')
    const { location = '' } = await confirm(browser, page)
    assert.equal(
      location,
      `${POST_LOGOUT_URI}?state=${new URLSearchParams({ s: 'a state & more' }).toString().slice(2)}`,
    )
    assert.ok(!(await isSignedIn(browser)))
  })

  it('rejects a parameter that contains NUL, and leaves the session usable', async () => {
    const browser = await signedInBrowser(service, await createUser(service))
    for (const name of ['state', 'ui_locales', 'logout_hint'])
      assert.equal((await browser.get(`/oidc/session/end?${name}=a%00`)).status, 400, name)
    const form = {
      method: 'POST',
      body: 'state=%00',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }
    assert.equal((await fetch(`${service.url}/oidc/session/end`, form)).status, 400)
    assert.equal((await browser.get('/oidc/session/end')).status, 200)
  })

  it('ends grants bound to the session, and keeps those for offline access', async () => {
    const browser = await signedInBrowser(service, user)
    const offlineApp = await createClient(service)
    const offline = await tokensOf(browser, OFFLINE, offlineApp)
    const opaqueApp = await createClient(service)
    const opaque = await tokensOf(browser, { scope: 'openid' }, opaqueApp)
    const { id_token, access_token } = await tokensOf(browser)
    await confirm(browser, await end(browser, { id_token_hint: id_token }))
    await isRejected(access_token)
    assert.equal((await fetchUserinfo(service, opaque.access_token)).status, 401)
    assert.equal(await catalogStatus(service, offline.access_token), '200')
    assert.equal((await refresh(service, offlineApp, offline.refresh_token ?? '')).status, 200)
  })

  it('does not affect another browser of the same user', async () => {
    const [here, there] = [
      await signedInBrowser(service, user),
      await signedInBrowser(service, user),
    ]
    const otherTokens = await tokensOf(there)
    const { id_token, access_token } = await tokensOf(here)
    await confirm(here, await end(here, { id_token_hint: id_token }))
    await isRejected(access_token)
    assert.ok(await isSignedIn(there))
    assert.equal(await catalogStatus(service, otherTokens.access_token), '200')
  })

  it('keeps the session of a user who chooses to stay, and ends only this app’s grant', async () => {
    const browser = await signedInBrowser(service, user)
    const otherApp = await createClient(service)
    const other = await tokensOf(browser, SESSION_BOUND, otherApp)
    const { id_token, access_token } = await tokensOf(browser)
    const page = await end(browser, {
      id_token_hint: id_token,
      post_logout_redirect_uri: POST_LOGOUT_URI,
    })
    const form = page.forms.find(({ buttons }) => buttons.some(({ name }) => name === 'logout'))
    assert.ok(form)
    const { location } = await browser.submit(page, {}, form)
    assert.equal(location, POST_LOGOUT_URI)
    assert.ok(await isSignedIn(browser))
    await isRejected(access_token)
    assert.equal(await catalogStatus(service, other.access_token), '200')
  })

  it('ends on the provider’s own page if there is no ID token hint', async () => {
    const browser = await signedInBrowser(service, user)
    const done = await confirm(browser, await end(browser))
    assert.deepEqual([done.status, done.location], [200, undefined])
    assert.ok(!(await isSignedIn(browser)))
  })

  it('redirects only to a registered URI of a known app', async () => {
    const browser = await signedInBrowser(service, user)
    const { id_token } = await tokensOf(browser)
    for (const post_logout_redirect_uri of [
      'https://evil.example/',
      'https://app.example',
      'https://app.example/more',
      `${CALLBACK}/`,
      'javascript:alert(1)',
    ]) {
      const refused = await end(browser, { id_token_hint: id_token, post_logout_redirect_uri })
      assert.deepEqual(
        [refused.status, refused.location],
        [400, undefined],
        post_logout_redirect_uri,
      )
      const anonymous = await end(browser, { post_logout_redirect_uri })
      assert.equal(anonymous.status, 200)
      assert.ok(!anonymous.text.includes(post_logout_redirect_uri))
    }
    const done = await confirm(
      browser,
      await end(browser, { post_logout_redirect_uri: POST_LOGOUT_URI }),
    )
    assert.equal(done.location, undefined)
  })

  it('accepts client_id with a redirect URI in place of the hint', async () => {
    const browser = await signedInBrowser(service, user)
    const page = await end(browser, {
      client_id: app.clientId,
      post_logout_redirect_uri: CALLBACK,
      state: 's',
    })
    assert.equal((await confirm(browser, page)).location, `${CALLBACK}?state=s`)
  })

  it('rejects an invalid hint with an error page', async () => {
    const browser = await signedInBrowser(service, user)
    const { id_token, access_token } = await tokensOf(browser)
    const [head = '', body = ''] = id_token.split('.')
    const hints = ['x', 'a.b.c', `${head}.${body}.AAAA`, access_token]
    for (const id_token_hint of hints) {
      const { status, location } = await end(browser, { id_token_hint })
      assert.deepEqual([status, location], [400, undefined], id_token_hint)
    }
    const other = await createClient(service)
    assert.equal(
      (await end(browser, { id_token_hint: id_token, client_id: other.clientId })).status,
      400,
    )
    assert.ok(await isSignedIn(browser))
  })

  it('can be requested by POST, but not be confirmed by a form on another site', async () => {
    const browser = await signedInBrowser(service, user)
    const { id_token } = await tokensOf(browser)
    const page = await browser.post('/oidc/session/end', {
      id_token_hint: id_token,
      post_logout_redirect_uri: POST_LOGOUT_URI,
    })
    assert.equal(page.status, 200)
    const forged = await browser.post('/oidc/session/end/confirm', {
      logout: 'yes',
      xsrf: 'guessed',
    })
    assert.equal(forged.status, 400)
    assert.ok(await isSignedIn(browser))
    assert.equal((await confirm(browser, page)).location, POST_LOGOUT_URI)
  })

  it('completes without confirmation for guests', async () => {
    const browser = new PlainBrowser(service.url)
    const { id_token } = await tokensOf(await signedInBrowser(service, user))
    const page = await end(browser, {
      id_token_hint: id_token,
      post_logout_redirect_uri: POST_LOGOUT_URI,
    })
    assert.equal(page.forms.length, 1)
    assert.equal((await browser.submit(page)).location, POST_LOGOUT_URI)
  })
})
