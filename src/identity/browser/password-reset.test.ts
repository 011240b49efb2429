import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import {
  authorizationResponse,
  authorizationRequest,
  catalogStatus,
  createClient,
  createUser,
  completeFlow,
  obtainTokens,
  refresh,
} from '#test/authorization.ts'
import { eventually } from '#test/browser.ts'
import { comparableResponse, accountFlows } from '#test/account-flows.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { newEmail } from '#test/sign-ups.ts'

describeOnDatabase('the password reset', (engine) => {
  let service: TestService
  before(async () => {
    service = await shareService(engine)
  })
  after(() => service.close())
  // All tests use one client address.
  beforeEach(() => service.db.deleteFrom('attempts').execute())

  const {
    newBrowser,
    mailsTo,
    nextLink,
    allSent,
    sessionsOf,
    eventsOf,
    isSignedIn,
    expire,
    askReset,
    signIn,
  } = accountFlows(() => service)

  it('sets a new password, ends every session and signs in', async () => {
    const user = await createUser(service)
    const { browser: old } = await signIn(user)
    assert.ok(await isSignedIn(old))
    const browser = newBrowser()
    await askReset(browser, user.email)
    const page = await browser.get(await nextLink(user.email))
    await browser.submit(page, { password: 'another fine password' })

    assert.ok(await isSignedIn(browser))
    assert.ok(!(await isSignedIn(old)))
    assert.equal((await sessionsOf(user.id)).length, 1)
    assert.equal((await signIn(user)).visit.status, 422)
    const { browser: third } = await signIn({ ...user, password: 'another fine password' })
    assert.ok(await isSignedIn(third))
    assert.ok((await eventsOf(user.id)).includes('password_reset'))
    await eventually(async () =>
      mailsTo(user.email).some(({ subject }) => /password was changed/.test(subject)),
    )
  })

  it('ends grants bound to the session, and keeps grants for offline access', async () => {
    const user = await createUser(service)
    const app = await createClient(service)
    const offline = await createClient(service)
    const kept = {
      app: offline,
      user,
      scope: 'openid status:write offline_access',
      prompt: 'consent',
    }
    await obtainTokens(service, { app, user })
    await obtainTokens(service, kept)
    const browser = newBrowser()
    await askReset(browser, user.email)
    await browser.submit(await browser.get(await nextLink(user.email)), {
      password: 'another fine password',
    })
    const grants = await service.db
      .selectFrom('grants')
      .select('client_id')
      .where('account_id', '=', user.id)
      .execute()
    assert.deepEqual(grants, [{ client_id: offline.clientId }])
  })

  it('ends every grant with its tokens if the user disconnects all apps', async () => {
    const user = await createUser(service)
    const app = await createClient(service)
    const requestFields = {
      app,
      user,
      scope: 'openid status:write catalog:read offline_access',
      prompt: 'consent',
    }
    const tokens = await obtainTokens(service, requestFields)
    assert.equal(await catalogStatus(service, tokens.access_token), '200')
    const browser = newBrowser()
    await askReset(browser, user.email)
    const page = await browser.get(await nextLink(user.email))
    await browser.submit(
      page,
      { password: 'another fine password', disconnect_apps: 'yes' },
      page.forms[0],
    )
    assert.equal(await catalogStatus(service, tokens.access_token), '401 AUTH_TOKEN_INVALID')
    const { body } = await refresh(service, app, tokens.refresh_token ?? '')
    assert.equal(body['error'], 'invalid_grant')
    assert.ok((await eventsOf(user.id)).includes('consent_withdrawn'))
    const repeated = await browser.get(authorizationRequest(app).path)
    assert.ok(repeated.forms.some(({ buttons }) => buttons.some(({ name }) => name === 'decision')))
  })

  it('still requires the code of an authenticator app', async () => {
    const user = await createUser(service)
    await service.db
      .updateTable('accounts')
      .set({ totp_secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' })
      .where('id', '=', user.id)
      .execute()
    const browser = newBrowser()
    await askReset(browser, user.email)
    const done = await browser.submit(await browser.get(await nextLink(user.email)), {
      password: 'another fine password',
    })
    assert.match(done.text, /role="status"><p>Password changed/)
    assert.equal((await sessionsOf(user.id)).length, 0)
    const code = await browser.submit(done, {
      email: user.email,
      password: 'another fine password',
    })
    assert.equal(new URL(code.url).pathname, '/sign-in/second-factor')
    assert.ok(!(await isSignedIn(browser)))
  })

  it('does not sign in a banned account', async () => {
    const user = await createUser(service)
    await askReset(newBrowser(), user.email)
    const browser = newBrowser()
    const page = await browser.get(await nextLink(user.email))
    await service.db
      .updateTable('accounts')
      .set({ banned_at: new Date(0), ban_reason: 'advertising' })
      .where('id', '=', user.id)
      .execute()
    const banned = await browser.submit(page, { password: 'another fine password' })
    assert.equal(banned.status, 403)
    assert.equal((await sessionsOf(user.id)).length, 0)
    const { email } = user
    const signInPage = await browser.get('/sign-in')
    const refusedPage = await browser.submit(signInPage, {
      email,
      password: 'another fine password',
    })
    assert.equal(refusedPage.status, 403)
    assert.match(refusedPage.text, /This account has been banned\. \(advertising\)/)
    const guessed = await browser.submit(signInPage, { email, password: 'no fine password' })
    assert.doesNotMatch(guessed.text, /banned|advertising/)
  })

  it('continues the app’s request only in the browser that requested the email', async () => {
    const user = await createUser(service)
    const app = await createClient(service, { clientName: 'Shelf' })
    const browser = newBrowser()
    const signInPage = await browser.get(authorizationRequest(app).path)
    const [, href = ''] =
      /href="(\/forgotten-password\?interaction=[^"]+)"/.exec(signInPage.text) ?? []
    await askReset(browser, user.email, href)
    const page = await browser.get(await nextLink(user.email))
    const consent = await browser.submit(page, { password: 'another fine password' })
    assert.ok(authorizationResponse(await completeFlow(browser, consent, user)).get('code'))

    await askReset(browser, user.email, href)
    const link = await nextLink(user.email, 2)
    const other = newBrowser()
    const result = await other.submit(await other.get(link), { password: 'a third fine password' })
    assert.equal(new URL(result.url).pathname, '/account')
  })

  it('responds identically whether or not the account exists', async () => {
    const user = await createUser(service)
    const unknownEmail = newEmail()
    const responses = await Promise.all(
      [user.email, unknownEmail].map((email) => askReset(newBrowser(), email)),
    )
    const [known, unknown] = responses.map(comparableResponse)
    assert.deepEqual(known, unknown)
    await allSent()
    assert.equal(mailsTo(user.email).length, 1)
    assert.deepEqual(mailsTo(unknownEmail), [])
  })

  it('keeps the link valid while the new password is rejected', async () => {
    const user = await createUser(service)
    await askReset(newBrowser(), user.email)
    const browser = newBrowser()
    const page = await browser.get(await nextLink(user.email))
    for (const password of ['', 'password', user.email]) {
      const refused = await browser.submit(page, { password })
      assert.equal(refused.status, 422, password)
      assert.match(refused.text, /id="password-error"/)
    }
    await browser.submit(page, { password: 'another fine password' })
    assert.ok(await isSignedIn(browser))
  })

  it('accepts a link once, even in five concurrent requests', async () => {
    const user = await createUser(service)
    await askReset(newBrowser(), user.email)
    const browser = newBrowser()
    const link = await nextLink(user.email)
    const page = await browser.get(link)
    const responses = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        browser.submit(page, { password: `fine password ${index}` }),
      ),
    )
    assert.equal(responses.filter(({ status }) => status === 410).length, 4)
    const events = await eventsOf(user.id)
    assert.equal(events.filter((kind) => kind === 'password_reset').length, 1)
    const looked = await browser.get(link)
    assert.equal(looked.status, 410)
    assert.match(looked.text, /href="\/forgotten-password"/)
  })

  it('rejects an expired link', async () => {
    const user = await createUser(service)
    await askReset(newBrowser(), user.email)
    const browser = newBrowser()
    const link = await nextLink(user.email)
    const page = await browser.get(link)
    await expire(link)
    assert.equal((await browser.get(link)).status, 410)
    assert.equal((await browser.submit(page, { password: 'another fine password' })).status, 410)
    assert.ok(await isSignedIn((await signIn(user)).browser))
  })
})
