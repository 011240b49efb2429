import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { createUser } from '#test/authorization.ts'
import { comparableResponse, accountFlows } from '#test/account-flows.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { makeSignUp, newEmail, SIGN_UP_PASSWORD, signUp } from '#test/sign-ups.ts'

describeOnDatabase('the sign-up form', (engine) => {
  let service: TestService
  before(async () => {
    service = await shareService(engine)
  })
  after(() => service.close())
  // All tests use one client address.
  beforeEach(() => service.db.deleteFrom('attempts').execute())

  const flows = accountFlows(() => service)
  const { newBrowser, mailsTo, nextLink, allSent, accountOf, askReset } = flows
  const followSignUp = makeSignUp(flows)

  it('responds identically whether or not the email address has an account', async () => {
    const user = await createUser(service)
    const free = newEmail()
    const responses = await Promise.all(
      [user.email, free].map((email) => signUp(newBrowser(), email)),
    )
    const [known, unknown] = responses.map(comparableResponse)
    assert.deepEqual(known, unknown)
    await allSent()
    assert.match(mailsTo(user.email)[0]?.subject ?? '', /already have an account/)
    assert.equal(mailsTo(user.email)[0]?.link, undefined)
    assert.match(await nextLink(free), /\/sign-up\/confirm\?token=/)
    assert.equal((await accountOf(user.email))?.name, user.name)
  })

  it('shows an error at each field, and keeps all input but the password', async () => {
    const browser = newBrowser()
    const page = await signUp(browser, 'nobody', { name: '  ', password: 'short77' })
    assert.equal(page.status, 422)
    for (const name of ['email', 'name', 'password']) {
      const [input = ''] = new RegExp(`<input id="${name}"[^>]*>`).exec(page.text) ?? []
      assert.match(input, /aria-invalid="true"/)
      assert.match(input, new RegExp(`aria-describedby="[^"]*${name}-error"`))
      assert.match(page.text, new RegExp(`id="${name}-error">[^<]+<`))
    }
    assert.equal(page.forms[0]?.fields['email'], 'nobody')
    assert.ok(!page.text.includes('short77'))

    const right = await signUp(browser, newEmail())
    assert.ok(!right.text.includes('aria-invalid'))
  })

  it('rejects common passwords', async () => {
    const browser = newBrowser()
    for (const password of [
      '',
      'password',
      'aaaaaaaaaaaa',
      'Somebody@example.org',
      'x'.repeat(1_001),
    ]) {
      const page = await signUp(browser, 'somebody@example.org', { password })
      assert.equal(page.status, 422, password)
      assert.match(page.text, /id="password-error"/)
    }
    await allSent()
    assert.deepEqual(mailsTo('somebody@example.org'), [])
  })

  it('rejects line breaks and other control characters', async () => {
    const browser = newBrowser()
    const wrong: Record<string, string>[] = [
      { email: 'a@example.org\r\nBcc: b@example.org' },
      { email: 'a@example.org, b@example.org' },
      { email: '<a@example.org>' },
      { name: 'Ryo\r\nBcc: b@example.org' },
      { name: 'Ryo\u202eoyR' },
    ]
    for (const fields of wrong)
      assert.equal((await signUp(browser, newEmail(), fields)).status, 422)
    assert.equal((await signUp(browser, newEmail(), { name: 'Ryo\0' })).status, 422)
    assert.equal((await askReset(browser, 'a@example.org\r\nBcc: b@example.org')).status, 422)
    await allSent()
    assert.deepEqual(mailsTo('b@example.org'), [])
  })

  it('escapes the input', async () => {
    const evil = '"><script>alert(1)</script>'
    const browser = newBrowser()
    const page = await signUp(browser, evil, { name: evil })
    assert.ok(!page.text.includes('<script>'))
    assert.equal(page.forms[0]?.fields['name'], evil)

    const email = `o'brien&${newEmail()}`
    const sent = await signUp(browser, email, { name: evil })
    assert.ok(!sent.text.includes('<script>'))
    const confirm = await browser.get(await nextLink(email))
    assert.ok(
      !confirm.text.includes('alert(1)'),
      'the name, which a stranger may have chosen, is not shown',
    )
    await browser.submit(confirm)
    assert.equal((await accountOf(email))?.name, evil)
  })

  it('does not redirect to a URL from its parameters', async () => {
    for (const interaction of [
      'https://evil.example',
      '//evil.example',
      '..%2f..%2fevil',
      'x'.repeat(65),
    ]) {
      const browser = newBrowser()
      const page = await browser.get(
        `/sign-up?interaction=${interaction}&return_to=https://evil.example`,
      )
      // Language links repeat the query of the page.
      const main = page.text.split('<footer', 1)[0] ?? ''
      assert.ok(!main.includes('evil'), main)
      assert.equal(page.forms[0]?.action, '/sign-up')
      const reset = await browser.get(`/forgotten-password?interaction=${interaction}`)
      assert.equal(reset.forms[0]?.action, '/forgotten-password')
    }
    const email = newEmail()
    const browser = newBrowser()
    const path = '/sign-up?interaction=https://evil.example'
    const { fields = {} } = (await browser.get(path)).forms[0] ?? {}
    await browser.post(path, { ...fields, email, name: 'Ryo', password: SIGN_UP_PASSWORD })
    const result = await browser.submit(await browser.get(await nextLink(email)))
    assert.equal(result.location, undefined)
    assert.equal(new URL(result.url).pathname, '/account/welcome')
  })

  it('leads to the account page if the app’s request has expired', async () => {
    const email = newEmail()
    const browser = newBrowser()
    await signUp(browser, email, {}, `/sign-up?interaction=${'a'.repeat(21)}`)
    const result = await browser.submit(await browser.get(await nextLink(email)))
    assert.equal(new URL(result.url).pathname, '/account/welcome')
  })

  it('does not disclose its tokens to other sites', async () => {
    const { page } = await followSignUp()
    const user = await createUser(service)
    await askReset(newBrowser(), user.email)
    const reset = await newBrowser().get(await nextLink(user.email))
    for (const { text, headers } of [page, reset]) {
      assert.equal(headers.get('referrer-policy'), 'same-origin')
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.ok(!/(?:href|src|action)="(?:https?:)?\/\//.test(text))
    }
    assert.ok(!reset.text.includes(user.email))
  })

  it('rejects forms from other sites', async () => {
    const { browser, email, link, page } = await followSignUp()
    const user = await createUser(service)
    await askReset(newBrowser(), user.email)
    const reset = await nextLink(user.email)
    const forms: [string, Record<string, string>][] = [
      ['/sign-up', { email: newEmail(), name: 'Ryo', password: SIGN_UP_PASSWORD }],
      [link, { password: SIGN_UP_PASSWORD }],
      ['/forgotten-password', { email: user.email }],
      [reset, { password: 'another fine password' }],
    ]
    for (const [path, fields] of forms) {
      assert.equal((await newBrowser().post(path, fields)).status, 403, path)
      assert.equal((await browser.post(path, { ...fields, _csrf: 'made-up' })).status, 403, path)
    }
    assert.equal(await accountOf(email), undefined)
    await browser.submit(page)
    assert.ok(await accountOf(email))
  })

  it('responds with 429 and Retry-After to a client address that requests too many emails', async () => {
    const browser = newBrowser()
    const reset = await browser.get('/forgotten-password')
    for (let index = 0; index < 20; index += 1)
      assert.equal((await browser.submit(reset, { email: newEmail() })).status, 200)
    const refused = await browser.submit(reset, { email: newEmail() })
    const signUpRefused = await signUp(browser, newEmail())
    for (const { status, headers, text } of [refused, signUpRefused]) {
      assert.equal(status, 429)
      assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
      assert.match(text, /role="alert"[^>]*><p>Too many emails/)
    }
    assert.ok(!signUpRefused.text.includes(SIGN_UP_PASSWORD))
  })

  it('sends at most three emails an hour to one address, and does not reveal the limit', async () => {
    const email = newEmail()
    const pages = []
    for (let index = 0; index < 5; index += 1)
      pages.push(comparableResponse(await signUp(newBrowser(), email)))
    for (const page of pages) assert.deepEqual(page, pages[0])
    await allSent()
    assert.equal(mailsTo(email).length, 3)
  })
})
