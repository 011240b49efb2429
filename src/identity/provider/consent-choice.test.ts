import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  authorizationResponse,
  authorizationRequest,
  createClient,
  createUser,
  redeem,
  signedInBrowser,
  type TestUser,
} from '#test/authorization.ts'
import { PlainBrowser, type Visit } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestApp, TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { findConsent } from './storage/consent-queries.ts'

describeOnDatabase('consent to only some of the requested scopes', (engine) => {
  let service: TestService
  let user: TestUser
  let browser: PlainBrowser
  before(async () => {
    service = await shareService(engine)
    user = await createUser(service, 'Rin')
    browser = await signedInBrowser(service, user)
  })
  after(() => service.close())

  const SCOPE = 'openid email status:read status:write collection:read'
  const send = (app: TestApp, more: Record<string, string> = {}) => {
    const { path, verifier } = authorizationRequest(app, { scope: SCOPE, ...more })
    return { verifier, visit: browser.get(path) }
  }
  /** Consents with the boxes of these scopes unchecked. */
  async function allowWithout(
    visit: Visit,
    unchecked: string[],
    more: Record<string, string> = {},
  ) {
    const form = visit.forms.find(({ buttons }) => buttons.some(({ name }) => name === 'decision'))
    assert.ok(form, visit.text)
    const fields = Object.fromEntries(
      Object.entries(form.fields).filter(
        ([name]) => !unchecked.includes(name.replace('allow.', '')),
      ),
    )
    return browser.submit(visit, { decision: 'allow', ...more }, { ...form, fields })
  }
  async function tokensOf(app: TestApp, visit: Visit, verifier: string) {
    const { body } = await redeem(
      service,
      app,
      authorizationResponse(visit).get('code') ?? '',
      verifier,
    )
    return {
      scope: String(body['scope']).split(' ').toSorted(),
      token: String(body['access_token']),
    }
  }

  it('limits the scopes in the token response and the access to the API', async () => {
    const app = await createClient(service)
    const { visit, verifier } = send(app)
    const page = await visit
    assert.match(page.text, /name="allow.status:write" value="yes" checked/)
    assert.doesNotMatch(page.text, /name="allow.(status:read|openid)"/)
    const allowed = await allowWithout(page, ['status:write', 'email'])
    const { scope, token } = await tokensOf(app, allowed, verifier)
    assert.deepEqual(scope, ['collection:read', 'openid'])
    const call = (path: string) =>
      fetch(service.url + path, { headers: { authorization: `Bearer ${token}` } })
    assert.equal((await call('/v3/user/me/rates')).status, 403)
    assert.equal((await call('/v3/user/me/collections')).status, 200)
    const claims = (await (await call('/oidc/me')).json()) as object
    assert.ok(!('email' in claims))
    const consent = await findConsent(service.db, user.id, app.clientId)
    assert.deepEqual(consent?.scopes.toSorted(), ['collection:read', 'openid'])
    assert.deepEqual(consent?.withheld.toSorted(), ['email', 'status:read', 'status:write'])
  })

  it('is remembered, and the user is asked again only if the app sends prompt=consent', async () => {
    const app = await createClient(service)
    await allowWithout(await send(app).visit, ['email'])
    const repeated = send(app)
    const response = await repeated.visit
    assert.ok(authorizationResponse(response).get('code'), 'it is not asked at every sign-in')
    assert.ok(!(await tokensOf(app, response, repeated.verifier)).scope.includes('email'))

    const prompted = send(app, { prompt: 'consent' })
    const page = await prompted.visit
    assert.match(page.text, /name="allow.email" value="yes">/, 'unchecked as it was')
    const all = await allowWithout(page, [], { 'allow.email': 'yes' })
    assert.ok((await tokensOf(app, all, prompted.verifier)).scope.includes('email'))
    const less = send(app, { prompt: 'consent' })
    const taken = await allowWithout(await less.visit, ['status:write'])
    assert.ok(!(await tokensOf(app, taken, less.verifier)).scope.includes('status:write'))
  })

  it('never grants more than the app requested, whatever the form says', async () => {
    const app = await createClient(service)
    const { visit, verifier } = send(app, { scope: 'openid collection:read' })
    const more = {
      'allow.status:write': 'yes',
      'allow.developer:apps': 'yes',
      'allow.email': 'yes',
    }
    const { scope } = await tokensOf(app, await allowWithout(await visit, [], more), verifier)
    assert.deepEqual(scope, ['collection:read', 'openid'])
  })

  it('always grants `openid`', async () => {
    const app = await createClient(service)
    const { visit, verifier } = send(app)
    const onlySignIn = await allowWithout(await visit, [
      'openid',
      'email',
      'status:write',
      'collection:read',
    ])
    assert.deepEqual((await tokensOf(app, onlySignIn, verifier)).scope, ['openid'])
  })

  it('withholds the claims of refused scopes, even if the app requests them by name', async () => {
    const app = await createClient(service)
    const claims = JSON.stringify({ id_token: { email: null }, userinfo: { email: null } })
    const { visit, verifier } = send(app, { claims })
    const allowed = await allowWithout(await visit, ['email'])
    const { token } = await tokensOf(app, allowed, verifier)
    const response = await fetch(`${service.url}/oidc/me`, {
      headers: { authorization: `Bearer ${token}` },
    })
    assert.ok(!('email' in ((await response.json()) as object)))
  })

  const require = (app: TestApp, required: string[]) =>
    service.db
      .updateTable('apps')
      .set({ required_scopes: JSON.stringify(required) })
      .where('client_id', '=', app.clientId)
      .execute()

  it('always grants the scopes that the app requires, whatever the form says', async () => {
    const app = await createClient(service)
    await require(app, ['status:read', 'email', 'profile'])
    const { visit, verifier } = send(app)
    const page = await visit
    assert.match(page.text, /doesn’t work without the items marked as required/)
    assert.doesNotMatch(page.text, /name="allow.(status:read|email|profile|openid)"/)
    assert.match(page.text, /name="allow.status:write" value="yes" checked/)
    assert.equal(page.text.match(/<span class="tag">required<\/span>/g)?.length, 2)
    const allowed = await allowWithout(page, [
      'email',
      'status:read',
      'status:write',
      'collection:read',
    ])
    assert.deepEqual((await tokensOf(app, allowed, verifier)).scope, [
      'email',
      'openid',
      'status:read',
    ])
  })

  it('grants scopes contained in a required scope', async () => {
    const app = await createClient(service)
    await require(app, ['status:write'])
    const { visit, verifier } = send(app)
    const page = await visit
    assert.doesNotMatch(page.text, /name="allow.status/)
    const { scope } = await tokensOf(
      app,
      await allowWithout(page, ['email', 'collection:read']),
      verifier,
    )
    assert.deepEqual(scope, ['openid', 'status:read', 'status:write'])
  })

  it('is requested again if the app now requires a scope that the user left out', async () => {
    const app = await createClient(service)
    await allowWithout(await send(app).visit, ['email'])
    await require(app, ['email'])
    assert.equal(
      authorizationResponse(await send(app, { prompt: 'none' }).visit).get('error'),
      'consent_required',
    )
    const repeated = send(app)
    const page = await repeated.visit
    assert.doesNotMatch(page.text, /name="allow.email"/)
    const allowed = await allowWithout(page, [])
    assert.ok((await tokensOf(app, allowed, repeated.verifier)).scope.includes('email'))
    const later = send(app)
    const response = await later.visit
    assert.ok(
      (await tokensOf(app, response, later.verifier)).scope.includes('email'),
      'it is remembered',
    )
  })
})
