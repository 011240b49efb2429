import assert from 'node:assert/strict'
import { TOTP } from 'otpauth'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  authorizationRequest,
  authorize,
  basicAuthorization,
  createClient,
  createUser,
  completeFlow,
  postToProvider,
  redeem,
  submitSignIn,
  type TestUser,
} from '#test/authorization.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { PlainBrowser, type Visit } from '#test/browser.ts'
import type { TestApp, TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { changePassword } from '../../accounts/credentials/password-queries.ts'
import { confirmTotp } from '../../accounts/credentials/second-factor.ts'
import { endSessions } from '../provider/storage/session-queries.ts'
import { generateTotpSecret } from '../../accounts/credentials/totp.ts'

/** Changes made after a page is shown and before its form is submitted. */
describeOnDatabase('the provider, after a change while a page is open,', (engine) => {
  let service: TestService
  let app: TestApp
  let user: TestUser
  before(async () => {
    service = await shareService(engine)
    user = await createUser(service)
  })
  after(() => service.close())

  async function consentPage(parameters: Record<string, string> = {}) {
    app = await createClient(service)
    const browser = new PlainBrowser(service.url)
    const { path, verifier } = authorizationRequest(app, parameters)
    const page = await browser.submit(await browser.get(path), {
      email: user.email,
      password: user.password,
    })
    assert.ok(
      page.forms.some(({ buttons }) => buttons.some(({ value }) => value === 'allow')),
      page.text,
    )
    return { browser, page, verifier }
  }
  const change = (values: Partial<{ enabled: boolean; scopes: string; redirect_uris: string }>) =>
    service.db.updateTable('apps').set(values).where('client_id', '=', app.clientId).execute()
  const codeOf = ({ location }: Visit) =>
    location === undefined ? null : new URL(location).searchParams.get('code')

  it('issues no code to an app disabled in the meantime, whatever the user decides', async () => {
    for (const decision of ['allow', 'deny']) {
      const { browser, page } = await consentPage()
      await change({ enabled: false })
      const visit = await browser.submit(page, { decision })
      assert.deepEqual([visit.status, visit.location], [400, undefined], decision)
    }
  })

  it('grants an app only the scopes it holds when the tokens are issued', async () => {
    const { browser, page, verifier } = await consentPage({
      scope: 'openid status:write collection:write catalog:full',
    })
    await change({ scopes: JSON.stringify(['status:read']) })
    const code = codeOf(await browser.submit(page, { decision: 'allow' }))
    assert.ok(code !== null, 'it asked for openid too, which every app holds')
    const { status, body } = await redeem(service, app, code, verifier)
    assert.deepEqual([status, body['scope']], [200, 'openid'])
  })

  it('does not grant a scope that the app gained after the user saw the page', async () => {
    const { browser, page, verifier } = await consentPage({ scope: 'openid status:read' })
    const [form] = page.forms
    const visit = await browser.submit(
      page,
      { decision: 'allow', scope: 'openid collection:write', scopes: 'collection:write' },
      form,
    )
    const { body } = await redeem(service, app, codeOf(visit) ?? '', verifier)
    assert.deepEqual(String(body['scope']).split(' ').toSorted(), ['openid', 'status:read'])
  })

  it('sends no code to a redirect URI removed from the app in the meantime', async () => {
    const { browser, page } = await consentPage()
    await change({ redirect_uris: JSON.stringify(['https://app.example.org/new']) })
    const visit = await browser.submit(page, { decision: 'allow' })
    assert.equal(visit.location, undefined)
    assert.equal(visit.status, 400)
  })

  it('admits no account banned before the decision or before the code is redeemed', async () => {
    const ban = (id: number, banned_at: Date | null) =>
      service.db.updateTable('accounts').set({ banned_at }).where('id', '=', id).execute()
    const { browser, page } = await consentPage()
    await ban(user.id, new Date())
    try {
      const visit = await browser.submit(page, { decision: 'allow' })
      assert.equal(codeOf(visit), null)
      const none = await browser.get(
        authorizationRequest(app, { prompt: 'none', scope: 'openid' }).path,
      )
      assert.equal(codeOf(none), null)
    } finally {
      await ban(user.id, null)
    }
    const fresh = await createUser(service)
    const { code, verifier } = await authorize(service, { app, user: fresh })
    await ban(fresh.id, new Date())
    assert.equal((await redeem(service, app, code, verifier)).status, 400)
  })

  /** Creates a user with an authenticator app, and a function that returns the code for a time step. */
  async function createUserWithAuthenticator() {
    const user = await createUser(service)
    const { secret } = generateTotpSecret(user.email)
    const code = (offset: number) =>
      new TOTP({ secret }).generate({ timestamp: Date.now() + offset * 30_000 })
    await confirmTotp(service.db, user.id, {
      secret,
      code: code(-1),
      secretKey: undefined,
      language: 'en',
    })
    return { user, code }
  }

  /** Opens the page for the second factor in a new browser. */
  async function startSecondFactor(user: TestUser) {
    const browser = new PlainBrowser(service.url)
    const page = await submitSignIn(browser, user)
    assert.match(page.url, /second-factor/)
    return { browser, page }
  }

  it('admits no account banned between password and second factor', async () => {
    const { user, code } = await createUserWithAuthenticator()
    const { browser, page } = await startSecondFactor(user)
    assert.equal(
      browser.cookies()['mokuroku-session'],
      undefined,
      'the password alone makes no session',
    )
    await service.db
      .updateTable('accounts')
      .set({ banned_at: new Date() })
      .where('id', '=', user.id)
      .execute()
    await browser.submit(page, { code: code(0) })
    assert.equal(browser.cookies()['mokuroku-session'], undefined)
    await service.db
      .updateTable('accounts')
      .set({ banned_at: null })
      .where('id', '=', user.id)
      .execute()
    const repeated = await startSecondFactor(user)
    await repeated.browser.submit(repeated.page, { code: code(1) })
    assert.ok(repeated.browser.cookies()['mokuroku-session'], 'without the ban the same works')
  })

  it('rejects a second factor if the password has changed since it was checked', async () => {
    const { user, code } = await createUserWithAuthenticator()
    const { browser, page } = await startSecondFactor(user)
    await changePassword(service.db, user.id, 'another fine password')
    const visit = await browser.submit(page, { code: code(1) })
    assert.equal(new URL(visit.url).pathname, '/sign-in')
    assert.equal(browser.cookies()['mokuroku-session'], undefined)
  })

  it('accepts consent only from the account that saw the page, and only for its own grant', async () => {
    const [second, third] = [
      await createUser(service, 'Second'),
      await createUser(service, 'Third'),
    ]
    app = await createClient(service)
    const { browser } = await authorize(service, {
      app,
      user,
      scope: 'status:read offline_access',
      prompt: 'consent',
    })
    const rowsOf = (account: TestUser) =>
      service.db
        .selectFrom('grants')
        .select('payload')
        .where('account_id', '=', account.id)
        .where('client_id', '=', app.clientId)
        .execute()
    const before = await rowsOf(user)
    const page = await browser.get(authorizationRequest(app, { scope: 'status:write' }).path)
    const signIn = (path: string, { email, password }: TestUser) =>
      browser.post(path, { _csrf: page.forms[0]?.fields['_csrf'] ?? '', email, password })
    const interaction = new URL(page.url).pathname.split('/').at(-1)

    const shownToSecond = await signIn(`/sign-in?interaction=${interaction}`, second)
    await signIn('/sign-in', third)
    const shownToThird = await browser.submit(shownToSecond, { decision: 'allow' })
    assert.ok(shownToThird.text.includes(third.email))
    assert.deepEqual([await rowsOf(second), await rowsOf(third)], [[], []])

    assert.ok(codeOf(await browser.submit(shownToThird, { decision: 'allow' })))
    assert.equal((await rowsOf(third)).length, 1)
    assert.deepEqual(await rowsOf(user), before)
  })

  it('keeps the requests of several apps in one browser separate', async () => {
    const apps = await Promise.all(Array.from({ length: 4 }, () => createClient(service)))
    const browser = new PlainBrowser(service.url)
    const requests = apps.map((one, index) => ({
      one,
      ...authorizationRequest(one, { state: `state ${index}` }),
    }))
    const pages: Visit[] = []
    for (const { path } of requests) pages.push(await browser.get(path))
    for (const [index, page] of [...pages.entries()].toReversed()) {
      const request = requests[index]
      assert.ok(request)
      const start =
        index === 3
          ? page
          : await browser.get(page.url.replace('/sign-in?interaction=', '/interaction/'))
      const visit = await completeFlow(browser, start, user)
      const response = new URL(visit.location ?? '').searchParams
      assert.equal(response.get('state'), `state ${index}`)
      assert.equal(
        (await redeem(service, request.one, response.get('code') ?? '', request.verifier)).status,
        200,
      )
    }
  })

  it('accepts one decision per pending request, and handles concurrent ones without an error', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { browser, page } = await consentPage()
      const visits = await Promise.all(
        Array.from({ length: 4 }, () => browser.submit(page, { decision: 'allow' })),
      )
      assert.ok(visits.some((visit) => codeOf(visit) !== null))
      for (const { status } of visits) assert.ok(status === 303 || status === 400, `${status}`)
      const repeated = await browser.submit(page, { decision: 'allow' })
      assert.deepEqual([repeated.status, repeated.location], [400, undefined])
    }
  })

  it('serves concurrent requests of one browser, and keeps it signed in', async () => {
    app = await createClient(service)
    const { browser } = await authorize(service, { app, user })
    const { path } = authorizationRequest(app, { prompt: 'none' })
    for (let round = 0; round < 3; round += 1) {
      const visits = await Promise.all(Array.from({ length: 6 }, () => browser.get(path)))
      assert.deepEqual(
        visits.map((visit) => codeOf(visit) === null),
        Array(6).fill(false),
      )
    }
  })

  it('does not restore a session that ended while its requests were processed', async () => {
    app = await createClient(service)
    const victim = await createUser(service)
    const { path } = authorizationRequest(app, { prompt: 'none', scope: 'openid' })
    for (let round = 0; round < 3; round += 1) {
      const { browser } = await authorize(service, { app, user: victim, scope: 'openid' })
      const cookies = browser.cookies('/oidc/auth')
      const concurrent = Array.from({ length: 12 }, async (_, index) => {
        const thief = new PlainBrowser(service.url)
        for (const [name, value] of Object.entries(cookies)) thief.setCookie(name, value)
        await sleep(index)
        await thief.get(path)
      })
      await sleep(4 + 3 * round)
      await endSessions(service.db, victim.id, 'all')
      await Promise.all(concurrent)
      const remaining = await service.db
        .selectFrom('sessions')
        .select('uid')
        .where('account_id', '=', victim.id)
        .execute()
      assert.deepEqual(remaining, [])
    }
  })

  it('issues nothing to a device once its app is disabled', async () => {
    app = await createClient(service, { applicationType: 'native' })
    const { body } = await postToProvider(
      `${service.url}/oidc/device/auth`,
      { scope: 'openid' },
      basicAuthorization(app),
    )
    const browser = new PlainBrowser(service.url)
    const confirm = await browser.submit(await browser.get('/oidc/device'), {
      user_code: String(body['user_code']),
    })
    await change({ enabled: false })
    const visit = await browser.submit(confirm, { confirm: 'yes' })
    assert.ok(visit.status < 500)
    const form = {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: String(body['device_code']),
    }
    assert.equal(
      (await postToProvider(`${service.url}/oidc/token`, form, basicAuthorization(app))).body[
        'error'
      ],
      'invalid_client',
    )
  })
})
