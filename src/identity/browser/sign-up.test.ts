import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { answerOf, authorizationRequest, createClient, createReader, redeem } from '#test/authorization.ts'
import { PlainBrowser } from '#test/browser.ts'
import { comparable, correspondence, linkToken } from '#test/correspondence.ts'
import { onOneDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'

const PASSWORD = 'a lantern in the attic'

onOneDatabase('signing up', (engine) => {
  let service: TestService
  before(async () => {
    service = await shareService(engine)
  })
  after(() => service.close())
  // All tests come from one address.
  beforeEach(() => service.db.deleteFrom('attempts').execute())

  const {
    newBrowser,
    mailsTo,
    nextLink,
    allSent,
    accountOf,
    eventsOf,
    isSignedIn,
    expire,
    askReset,
    signIn,
  } = correspondence(() => service)

  let strangers = 0
  const newEmail = () => `stranger-${(strangers += 1)}@example.org`

  async function signUp(
    browser: PlainBrowser,
    email: string,
    fields: Record<string, string> = {},
    path = '/sign-up',
  ) {
    const form = await browser.get(path)
    return browser.submit(form, { email, name: 'Ryo', password: PASSWORD, ...fields })
  }

  /** Asks for an account and follows the link, in the same browser. */
  async function followed(email = newEmail()) {
    const browser = newBrowser()
    await signUp(browser, email)
    const link = await nextLink(email)
    return { browser, email, link, page: await browser.get(link) }
  }

  it('goes through an app’s request to its code, by way of a mail', async () => {
    const email = newEmail()
    const browser = newBrowser()
    const app = await createClient(service, { clientName: 'Shelf' })
    const { path, verifier } = authorizationRequest(app)
    const signInPage = await browser.get(path)
    const [, href = ''] = /href="(\/sign-up\?interaction=[^"]+)"/.exec(signInPage.text) ?? []
    const form = await browser.get(href)
    assert.match(form.text, /to continue to Shelf/)
    const sent = await browser.submit(form, { email, name: 'Ryo', password: PASSWORD })
    assert.equal(sent.status, 200)
    assert.equal(await accountOf(email), undefined)

    const confirm = await browser.get(await nextLink(email))
    const consent = await browser.submit(confirm)
    assert.match(consent.text, /Allow Shelf\?/)
    const code = answerOf(await browser.submit(consent, { decision: 'allow' })).get('code')
    assert.ok(code)
    const { status, body } = await redeem(service, app, code, verifier)
    assert.equal(status, 200, JSON.stringify(body))

    const account = await accountOf(email)
    assert.ok(account?.email_verified_at)
    assert.equal(account.name, 'Ryo')
    assert.deepEqual(await eventsOf(account.id), ['sign_up', 'sign_in', 'consent_given'])
  })

  it('lets whoever signed up sign in with the password they chose', async () => {
    const { browser, email, page } = await followed()
    await browser.submit(page)
    assert.ok(await isSignedIn(browser))
    const { browser: other } = await signIn({ email, password: PASSWORD })
    assert.ok(await isSignedIn(other))
  })

  it('makes no account of a link that was only looked at', async () => {
    const { browser, email, link, page } = await followed()
    assert.equal(page.status, 200)
    assert.ok(!page.forms.some(({ fields }) => 'password' in fields))
    await newBrowser().get(link)
    await browser.get(link)
    assert.equal(await accountOf(email), undefined)
    assert.equal((await browser.submit(await browser.get(link))).status === 410, false)
    assert.ok(await accountOf(email))
  })

  it('asks for the password where the link is opened in another browser', async () => {
    const { browser: first, email, link } = await followed()
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

    await browser.submit(wrong, { password: PASSWORD })
    const account = await accountOf(email)
    assert.ok(account)
    assert.ok(await isSignedIn(browser))
    assert.ok(!(await isSignedIn(first)))
  })

  it('takes no other signed cookie for the one of the browser that asked', async () => {
    const { link } = await followed()
    const browser = newBrowser()
    const form = await browser.get('/sign-up')
    const csrf = browser.cookies()['mokuroku-csrf']
    assert.ok(csrf)
    browser.setCookie('mokuroku-asking', csrf)
    assert.ok('password' in ((await browser.get(link)).forms[0]?.fields ?? {}))
    // Its own request makes a browser the one that asked for that link only.
    await browser.submit(form, { email: newEmail(), name: 'Other', password: PASSWORD })
    assert.ok('password' in ((await browser.get(link)).forms[0]?.fields ?? {}))
  })

  it('slows guesses at the password of a link down', async () => {
    const { email, link } = await followed()
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
    // The first wait is of seconds, which a busy machine takes for one form.
    const blocked_until = new Date(Date.now() + 60_000)
    await service.db
      .updateTable('attempts')
      .set({ blocked_until })
      .where('blocked_until', 'is not', null)
      .execute()
    assert.equal((await browser.submit(page, { password: PASSWORD })).status, 429)
    assert.equal(await accountOf(email), undefined)
  })

  it('leads to the account and not to an app’s request that waits in another browser', async () => {
    const email = newEmail()
    const asking = newBrowser()
    const app = await createClient(service)
    const signInPage = await asking.get(authorizationRequest(app).path)
    const [, href = ''] = /href="(\/sign-up\?interaction=[^"]+)"/.exec(signInPage.text) ?? []
    await signUp(asking, email, {}, href)
    const browser = newBrowser()
    const page = await browser.get(await nextLink(email))
    const landed = await browser.submit(page, { password: PASSWORD })
    assert.equal(new URL(landed.url).pathname, '/account/welcome')
  })

  it('uses a link once', async () => {
    const { browser, link, page } = await followed()
    await browser.submit(page)
    const again = await browser.submit(page)
    assert.equal(again.status, 410)
    const looked = await browser.get(link)
    assert.equal(looked.status, 410)
    assert.match(looked.text, /href="\/sign-up"/)
  })

  it('refuses a link that is too old, looked at or sent', async () => {
    const { browser, email, link, page } = await followed()
    await expire(link)
    assert.equal((await browser.get(link)).status, 410)
    assert.equal((await browser.submit(page)).status, 410)
    assert.equal(await accountOf(email), undefined)
  })

  it('refuses what was never a link', async () => {
    const browser = newBrowser()
    for (const token of ['', 'x', '"><script>', 'A'.repeat(43), '%0d%0aset-cookie:a=b', '../../account']) {
      const page = await browser.get(`/sign-up/confirm?token=${token}`)
      assert.equal(page.status, 410, token)
      assert.ok(!page.text.includes('<script>'))
      assert.equal((await browser.get(`/reset-password?token=${token}`)).status, 410, token)
    }
  })

  it('does not take a link of one purpose for another', async () => {
    const { link } = await followed()
    const reader = await createReader(service)
    await askReset(newBrowser(), reader.email)
    const reset = await nextLink(reader.email)
    const browser = newBrowser()
    assert.equal((await browser.get(`/reset-password?token=${linkToken(link)}`)).status, 410)
    assert.equal((await browser.get(`/sign-up/confirm?token=${linkToken(reset)}`)).status, 410)
  })

  it('makes one account of five uses of a link at the same time', async () => {
    const { browser, email, page } = await followed()
    const answers = await Promise.all(Array.from({ length: 5 }, () => browser.submit(page)))
    assert.equal(answers.filter(({ status }) => status === 410).length, 4)
    const account = await accountOf(email)
    assert.ok(account)
    assert.deepEqual(await eventsOf(account.id), ['sign_up', 'sign_in'])
  })

  it('makes one account of two links to one address, and tells the later one', async () => {
    const { browser, email } = await followed()
    await signUp(browser, email)
    const second = await browser.get(await nextLink(email, 2))
    const first = await browser.get(await nextLink(email, 1))
    await browser.submit(first)
    const later = await browser.submit(second)
    assert.equal(later.status, 409)
    assert.match(later.text, /href="\/sign-in"/)
  })

  it('answers the same for an address with an account and one without', async () => {
    const reader = await createReader(service)
    const free = newEmail()
    const answers = await Promise.all([reader.email, free].map((email) => signUp(newBrowser(), email)))
    const [known, unknown] = answers.map(comparable)
    assert.deepEqual(known, unknown)
    await allSent()
    assert.match(mailsTo(reader.email)[0]?.subject ?? '', /account already/)
    assert.equal(mailsTo(reader.email)[0]?.link, undefined)
    assert.match(await nextLink(free), /\/sign-up\/confirm\?token=/)
    assert.equal((await accountOf(reader.email))?.name, reader.name)
  })

  it('says what is wrong at each field, and keeps what was typed but the password', async () => {
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

  it('refuses passwords that are guessed first', async () => {
    const browser = newBrowser()
    for (const password of ['', 'password', 'aaaaaaaaaaaa', 'Somebody@example.org', 'x'.repeat(1_001)]) {
      const page = await signUp(browser, 'somebody@example.org', { password })
      assert.equal(page.status, 422, password)
      assert.match(page.text, /id="password-error"/)
    }
    await allSent()
    assert.deepEqual(mailsTo('somebody@example.org'), [])
  })

  it('refuses line breaks and other controls in its fields', async () => {
    const browser = newBrowser()
    const wrong: Record<string, string>[] = [
      { email: 'a@example.org\r\nBcc: b@example.org' },
      { email: 'a@example.org, b@example.org' },
      { email: '<a@example.org>' },
      { name: 'Ryo\r\nBcc: b@example.org' },
      { name: 'Ryo\u202eoyR' },
    ]
    for (const fields of wrong) assert.equal((await signUp(browser, newEmail(), fields)).status, 422)
    assert.equal((await signUp(browser, newEmail(), { name: 'Ryo\0' })).status, 422)
    assert.equal((await askReset(browser, 'a@example.org\r\nBcc: b@example.org')).status, 422)
    await allSent()
    assert.deepEqual(mailsTo('b@example.org'), [])
  })

  it('shows what was typed as text', async () => {
    const evil = '"><script>alert(1)</script>'
    const browser = newBrowser()
    const page = await signUp(browser, evil, { name: evil })
    assert.ok(!page.text.includes('<script>'))
    assert.equal(page.forms[0]?.fields['name'], evil)

    const email = `o'brien&${newEmail()}`
    const sent = await signUp(browser, email, { name: evil })
    assert.ok(!sent.text.includes('<script>'))
    const confirm = await browser.get(await nextLink(email))
    assert.ok(!confirm.text.includes('alert(1)'), 'the name, which a stranger may have chosen, is not shown')
    await browser.submit(confirm)
    assert.equal((await accountOf(email))?.name, evil)
  })

  it('is not led anywhere else by what its address says', async () => {
    for (const interaction of ['https://evil.example', '//evil.example', '..%2f..%2fevil', 'x'.repeat(65)]) {
      const browser = newBrowser()
      const page = await browser.get(`/sign-up?interaction=${interaction}&return_to=https://evil.example`)
      // The links to other languages repeat the query of this page.
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
    await browser.post(path, { ...fields, email, name: 'Ryo', password: PASSWORD })
    const landed = await browser.submit(await browser.get(await nextLink(email)))
    assert.equal(landed.location, undefined)
    assert.equal(new URL(landed.url).pathname, '/account/welcome')
  })

  it('goes to the account when the app’s request is long over', async () => {
    const email = newEmail()
    const browser = newBrowser()
    await signUp(browser, email, {}, `/sign-up?interaction=${'a'.repeat(21)}`)
    const landed = await browser.submit(await browser.get(await nextLink(email)))
    assert.equal(new URL(landed.url).pathname, '/account/welcome')
  })

  it('keeps its tokens out of other sites’ hands', async () => {
    const { page } = await followed()
    const reader = await createReader(service)
    await askReset(newBrowser(), reader.email)
    const reset = await newBrowser().get(await nextLink(reader.email))
    for (const { text, headers } of [page, reset]) {
      assert.equal(headers.get('referrer-policy'), 'same-origin')
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.ok(!/(?:href|src|action)="(?:https?:)?\/\//.test(text))
    }
    assert.ok(!reset.text.includes(reader.email))
  })

  it('refuses forms that are not its own', async () => {
    const { browser, email, link, page } = await followed()
    const reader = await createReader(service)
    await askReset(newBrowser(), reader.email)
    const reset = await nextLink(reader.email)
    const forms: [string, Record<string, string>][] = [
      ['/sign-up', { email: newEmail(), name: 'Ryo', password: PASSWORD }],
      [link, { password: PASSWORD }],
      ['/forgotten-password', { email: reader.email }],
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

  it('answers 429 with Retry-After to an address that asks for too many mails', async () => {
    const browser = newBrowser()
    const reset = await browser.get('/forgotten-password')
    for (let asked = 0; asked < 20; asked += 1)
      assert.equal((await browser.submit(reset, { email: newEmail() })).status, 200)
    const refused = await browser.submit(reset, { email: newEmail() })
    const signUpRefused = await signUp(browser, newEmail())
    for (const { status, headers, text } of [refused, signUpRefused]) {
      assert.equal(status, 429)
      assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
      assert.match(text, /role="alert"><p>Too many mails/)
    }
    assert.ok(!signUpRefused.text.includes(PASSWORD))
  })

  it('sends no more than three mails an hour to an address, and does not tell', async () => {
    const email = newEmail()
    const pages = []
    for (let asked = 0; asked < 5; asked += 1) pages.push(comparable(await signUp(newBrowser(), email)))
    for (const page of pages) assert.deepEqual(page, pages[0])
    await allSent()
    assert.equal(mailsTo(email).length, 3)
  })
})
