import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import {
  authorizationResponse,
  authorizationRequest,
  createClient,
  createUser,
  redeem,
} from '#test/authorization.ts'
import { accountFlows, linkToken } from '#test/account-flows.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { makeSignUp, newEmail, SIGN_UP_PASSWORD, signUp } from '#test/sign-ups.ts'

describeOnDatabase('sign-up', (engine) => {
  let service: TestService
  before(async () => {
    service = await shareService(engine)
  })
  after(() => service.close())
  // All tests use one client address.
  beforeEach(() => service.db.deleteFrom('attempts').execute())

  const flows = accountFlows(() => service)
  const { newBrowser, nextLink, accountOf, eventsOf, isSignedIn, expire, askReset, signIn } = flows
  const followSignUp = makeSignUp(flows)

  it('starts at an app’s request, continues by email, and ends with a code for the app', async () => {
    const email = newEmail()
    const browser = newBrowser()
    const app = await createClient(service, { clientName: 'Shelf' })
    const { path, verifier } = authorizationRequest(app)
    const signInPage = await browser.get(path)
    const [, href = ''] = /href="(\/sign-up\?interaction=[^"]+)"/.exec(signInPage.text) ?? []
    const form = await browser.get(href)
    assert.match(form.text, /to continue to Shelf/)
    const sent = await browser.submit(form, { email, name: 'Ryo', password: SIGN_UP_PASSWORD })
    assert.equal(sent.status, 200)
    assert.equal(await accountOf(email), undefined)

    const confirm = await browser.get(await nextLink(email))
    const consent = await browser.submit(confirm)
    assert.match(consent.text, /Allow Shelf\?/)
    const code = authorizationResponse(await browser.submit(consent, { decision: 'allow' })).get(
      'code',
    )
    assert.ok(code)
    const { status, body } = await redeem(service, app, code, verifier)
    assert.equal(status, 200, JSON.stringify(body))

    const account = await accountOf(email)
    assert.ok(account?.email_verified_at)
    assert.equal(account.name, 'Ryo')
    assert.deepEqual(await eventsOf(account.id), ['sign_up', 'sign_in', 'consent_given'])
  })

  it('lets the user sign in with the chosen password', async () => {
    const { browser, email, page } = await followSignUp()
    await browser.submit(page)
    assert.ok(await isSignedIn(browser))
    const { browser: other } = await signIn({ email, password: SIGN_UP_PASSWORD })
    assert.ok(await isSignedIn(other))
  })

  it('creates no account when a link is only viewed', async () => {
    const { browser, email, link, page } = await followSignUp()
    assert.equal(page.status, 200)
    assert.ok(!page.forms.some(({ fields }) => 'password' in fields))
    await newBrowser().get(link)
    await browser.get(link)
    assert.equal(await accountOf(email), undefined)
    assert.equal((await browser.submit(await browser.get(link))).status === 410, false)
    assert.ok(await accountOf(email))
  })

  it('requires the password if the link is opened in another browser', async () => {
    const { browser: first, email, link } = await followSignUp()
    const browser = newBrowser()
    const page = await browser.get(link)
    assert.ok('password' in (page.forms[0]?.fields ?? {}))

    const without = await browser.submit(page)
    assert.equal(without.status, 422)
    const wrong = await browser.submit(page, { password: 'not this one at all' })
    assert.equal(wrong.status, 422)
    assert.match(wrong.text, /aria-invalid="true"/)
    assert.ok(!wrong.text.includes('not this one at all'))
    assert.equal(await accountOf(email), undefined)

    await browser.submit(wrong, { password: SIGN_UP_PASSWORD })
    const account = await accountOf(email)
    assert.ok(account)
    assert.ok(await isSignedIn(browser))
    assert.ok(!(await isSignedIn(first)))
  })

  it('does not accept a different signed cookie in place of the requesting browser’s', async () => {
    const { link } = await followSignUp()
    const browser = newBrowser()
    const form = await browser.get('/sign-up')
    const csrf = browser.cookies()['mokuroku-csrf']
    assert.ok(csrf)
    browser.setCookie('mokuroku-asking', csrf)
    assert.ok('password' in ((await browser.get(link)).forms[0]?.fields ?? {}))
    // Requesting a link makes a browser the requesting browser of that link only.
    await browser.submit(form, { email: newEmail(), name: 'Other', password: SIGN_UP_PASSWORD })
    assert.ok('password' in ((await browser.get(link)).forms[0]?.fields ?? {}))
  })

  it('slows down guesses at the password that a link requires', async () => {
    const { email, link } = await followSignUp()
    const browser = newBrowser()
    const page = await browser.get(link)
    const statuses = []
    let last = page
    for (let guess = 0; guess < 6; guess += 1) {
      last = await browser.submit(page, { password: `guess number ${guess}` })
      statuses.push(last.status)
    }
    assert.deepEqual(statuses, [422, 422, 422, 422, 422, 429])
    assert.match(last.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    // The first delay is a few seconds, which is how long a busy machine takes to submit a form. Extend it.
    const blocked_until = new Date(Date.now() + 60_000)
    await service.db
      .updateTable('attempts')
      .set({ blocked_until })
      .where('blocked_until', 'is not', null)
      .execute()
    assert.equal((await browser.submit(page, { password: SIGN_UP_PASSWORD })).status, 429)
    assert.equal(await accountOf(email), undefined)
  })

  it('leads to the account page if the app’s request is pending in another browser', async () => {
    const email = newEmail()
    const requester = newBrowser()
    const app = await createClient(service)
    const signInPage = await requester.get(authorizationRequest(app).path)
    const [, href = ''] = /href="(\/sign-up\?interaction=[^"]+)"/.exec(signInPage.text) ?? []
    await signUp(requester, email, {}, href)
    const browser = newBrowser()
    const page = await browser.get(await nextLink(email))
    const result = await browser.submit(page, { password: SIGN_UP_PASSWORD })
    assert.equal(new URL(result.url).pathname, '/account/welcome')
  })

  it('accepts a link once', async () => {
    const { browser, link, page } = await followSignUp()
    await browser.submit(page)
    const repeated = await browser.submit(page)
    assert.equal(repeated.status, 410)
    const looked = await browser.get(link)
    assert.equal(looked.status, 410)
    assert.match(looked.text, /href="\/sign-up"/)
  })

  it('rejects an expired link, whether it is viewed or submitted', async () => {
    const { browser, email, link, page } = await followSignUp()
    await expire(link)
    assert.equal((await browser.get(link)).status, 410)
    assert.equal((await browser.submit(page)).status, 410)
    assert.equal(await accountOf(email), undefined)
  })

  it('rejects unknown links', async () => {
    const browser = newBrowser()
    for (const token of [
      '',
      'x',
      '"><script>',
      'A'.repeat(43),
      '%0d%0aset-cookie:a=b',
      '../../account',
    ]) {
      const page = await browser.get(`/sign-up/confirm?token=${token}`)
      assert.equal(page.status, 410, token)
      assert.ok(!page.text.includes('<script>'))
      assert.equal((await browser.get(`/reset-password?token=${token}`)).status, 410, token)
    }
  })

  it('rejects links for another purpose', async () => {
    const { link } = await followSignUp()
    const user = await createUser(service)
    await askReset(newBrowser(), user.email)
    const reset = await nextLink(user.email)
    const browser = newBrowser()
    assert.equal((await browser.get(`/reset-password?token=${linkToken(link)}`)).status, 410)
    assert.equal((await browser.get(`/sign-up/confirm?token=${linkToken(reset)}`)).status, 410)
  })

  it('creates one account from five concurrent uses of a link', async () => {
    const { browser, email, page } = await followSignUp()
    const responses = await Promise.all(Array.from({ length: 5 }, () => browser.submit(page)))
    assert.equal(responses.filter(({ status }) => status === 410).length, 4)
    const account = await accountOf(email)
    assert.ok(account)
    assert.deepEqual(await eventsOf(account.id), ['sign_up', 'sign_in'])
  })

  it('creates one account from two links to one email address', async () => {
    const { browser, email } = await followSignUp()
    await signUp(browser, email)
    const second = await browser.get(await nextLink(email, 2))
    const first = await browser.get(await nextLink(email, 1))
    await browser.submit(first)
    const later = await browser.submit(second)
    assert.equal(later.status, 409)
    assert.match(later.text, /href="\/sign-in"/)
  })
})
