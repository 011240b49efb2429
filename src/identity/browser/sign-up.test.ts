import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, it } from 'node:test'
import {
  answerOf,
  authorizationRequest,
  catalogAnswer,
  createClient,
  createReader,
  goThrough,
  obtainTokens,
  redeem,
  refresh,
  type TestReader,
} from '#test/authorization.ts'
import { eventually, PlainBrowser, type Visit } from '#test/browser.ts'
import { onOneDatabase } from '#test/databases.ts'
import { startService, type TestService } from '#test/service.ts'
import { hashToken } from '../../accounts/opaque-tokens.ts'

const PASSWORD = 'a lantern in the attic'
const FAR_PAST = new Date(0)

type Mail = { to: string; subject: string; text: string; link: string | undefined }

onOneDatabase('signing up and forgotten passwords', (engine) => {
  let service: TestService
  let strangers = 0

  before(async () => {
    service = await startService({ engine })
  })
  after(() => service.close())
  // All tests come from one address.
  beforeEach(() => service.db.deleteFrom('attempts').execute())

  const newEmail = () => `stranger-${(strangers += 1)}@example.org`
  const newBrowser = () => new PlainBrowser(service.url)

  /** Mails that were written, oldest first. */
  function mailsTo(email: string): Mail[] {
    const folder = join(service.config.dataDir, 'outbox')
    const files = (() => {
      try {
        return readdirSync(folder).toSorted()
      } catch {
        return []
      }
    })()
    return files
      .map((file) => readMail(readFileSync(join(folder, file), 'utf8')))
      .filter(({ to }) => to === email)
  }

  /** The link of the newest of so many mails that have one. */
  async function nextLink(email: string, count = 1): Promise<string> {
    const links = () => mailsTo(email).flatMap(({ link }) => link ?? [])
    await eventually(async () => links().length >= count, `link ${count} to ${email}`)
    return links()[count - 1] ?? ''
  }

  /** Every mail that was asked for is sent, or dropped. */
  const allSent = () =>
    eventually(
      async () => (await service.db.selectFrom('mails').select('id').execute()).length === 0,
      'an empty queue',
    )

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

  const accountOf = (email: string) =>
    service.db.selectFrom('accounts').selectAll().where('email', '=', email).executeTakeFirst()
  const sessionsOf = (id: number) =>
    service.db.selectFrom('sessions').select('uid').where('account_id', '=', id).execute()
  const eventsOf = async (id: number) =>
    (
      await service.db
        .selectFrom('audit_events')
        .select('kind')
        .where('account_id', '=', id)
        .orderBy('id')
        .execute()
    ).map(({ kind }) => kind)
  const isSignedIn = async (browser: PlainBrowser) => {
    const response = await fetch(`${service.url}/sign-in`, {
      redirect: 'manual',
      headers: { cookie: cookiesOf(browser) },
    })
    return response.status === 303
  }

  async function expire(link: string) {
    await service.db
      .updateTable('links')
      .set({ expires_at: FAR_PAST })
      .where('token_hash', '=', hashToken(tokenOf(link)))
      .execute()
  }

  async function askReset(browser: PlainBrowser, email: string, path = '/forgotten-password') {
    const form = await browser.get(path)
    return browser.submit(form, { email })
  }

  async function signIn(reader: Pick<TestReader, 'email' | 'password'>, browser = newBrowser()) {
    const form = await browser.get('/sign-in')
    const visit = await browser.submit(form, { email: reader.email, password: reader.password })
    return { browser, visit }
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
    for (let guess = 0; guess < 7; guess += 1) {
      last = await browser.submit(page, { password: `guess number ${guess}` })
      statuses.push(last.status)
    }
    assert.deepEqual(statuses, [422, 422, 422, 422, 422, 429, 429])
    assert.match(last.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
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
    assert.equal(new URL(landed.url).pathname, '/account')
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
    assert.equal((await browser.get(`/reset-password?token=${tokenOf(link)}`)).status, 410)
    assert.equal((await browser.get(`/sign-up/confirm?token=${tokenOf(reset)}`)).status, 410)
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
    assert.equal(new URL(landed.url).pathname, '/account')
  })

  it('goes to the account when the app’s request is long over', async () => {
    const email = newEmail()
    const browser = newBrowser()
    await signUp(browser, email, {}, `/sign-up?interaction=${'a'.repeat(21)}`)
    const landed = await browser.submit(await browser.get(await nextLink(email)))
    assert.equal(new URL(landed.url).pathname, '/account')
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

  it('sets another password, ends every session, and signs in', async () => {
    const reader = await createReader(service)
    const { browser: old } = await signIn(reader)
    assert.ok(await isSignedIn(old))
    const browser = newBrowser()
    await askReset(browser, reader.email)
    const page = await browser.get(await nextLink(reader.email))
    await browser.submit(page, { password: 'another fine password' })

    assert.ok(await isSignedIn(browser))
    assert.ok(!(await isSignedIn(old)))
    assert.equal((await sessionsOf(reader.id)).length, 1)
    assert.equal((await signIn(reader)).visit.status, 422)
    const { browser: third } = await signIn({ ...reader, password: 'another fine password' })
    assert.ok(await isSignedIn(third))
    assert.ok((await eventsOf(reader.id)).includes('password_reset'))
    await eventually(async () =>
      mailsTo(reader.email).some(({ subject }) => /password was changed/.test(subject)),
    )
  })

  it('ends what apps may do while the reader is there, and leaves what they may do for longer', async () => {
    const reader = await createReader(service)
    const app = await createClient(service)
    const offline = await createClient(service)
    const kept = { app: offline, reader, scope: 'openid status:write offline_access', prompt: 'consent' }
    await obtainTokens(service, { app, reader })
    await obtainTokens(service, kept)
    const browser = newBrowser()
    await askReset(browser, reader.email)
    await browser.submit(await browser.get(await nextLink(reader.email)), {
      password: 'another fine password',
    })
    const grants = await service.db
      .selectFrom('grants')
      .select('client_id')
      .where('account_id', '=', reader.id)
      .execute()
    assert.deepEqual(grants, [{ client_id: offline.clientId }])
  })

  it('ends every grant when the reader wants all apps disconnected, tokens and all', async () => {
    const reader = await createReader(service)
    const app = await createClient(service)
    const asked = { app, reader, scope: 'openid status:write catalog:read offline_access', prompt: 'consent' }
    const tokens = await obtainTokens(service, asked)
    assert.equal(await catalogAnswer(service, tokens.access_token), '200')
    const browser = newBrowser()
    await askReset(browser, reader.email)
    const page = await browser.get(await nextLink(reader.email))
    await browser.submit(page, { password: 'another fine password', disconnect_apps: 'yes' }, page.forms[0])
    assert.equal(await catalogAnswer(service, tokens.access_token), '401 AUTH_TOKEN_INVALID')
    const { body } = await refresh(service, app, tokens.refresh_token ?? '')
    assert.equal(body['error'], 'invalid_grant')
    assert.ok((await eventsOf(reader.id)).includes('consent_withdrawn'))
    const again = await browser.get(authorizationRequest(app).path)
    assert.ok(again.forms.some(({ buttons }) => buttons.some(({ name }) => name === 'decision')))
  })

  it('still asks an account with an authenticator app for its code after a reset', async () => {
    const reader = await createReader(service)
    await service.db
      .updateTable('accounts')
      .set({ totp_secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' })
      .where('id', '=', reader.id)
      .execute()
    const browser = newBrowser()
    await askReset(browser, reader.email)
    const done = await browser.submit(await browser.get(await nextLink(reader.email)), {
      password: 'another fine password',
    })
    assert.match(done.text, /role="status"><p>Your password has been changed/)
    assert.equal((await sessionsOf(reader.id)).length, 0)
    const code = await browser.submit(done, { email: reader.email, password: 'another fine password' })
    assert.equal(new URL(code.url).pathname, '/sign-in/second-factor')
    assert.ok(!(await isSignedIn(browser)))
  })

  it('signs nobody in who is banned', async () => {
    const reader = await createReader(service)
    await askReset(newBrowser(), reader.email)
    const browser = newBrowser()
    const page = await browser.get(await nextLink(reader.email))
    await service.db
      .updateTable('accounts')
      .set({ banned_at: FAR_PAST, ban_reason: 'advertising' })
      .where('id', '=', reader.id)
      .execute()
    const banned = await browser.submit(page, { password: 'another fine password' })
    assert.equal(banned.status, 403)
    assert.equal((await sessionsOf(reader.id)).length, 0)
    const { email } = reader
    const signInPage = await browser.get('/sign-in')
    const told = await browser.submit(signInPage, { email, password: 'another fine password' })
    assert.equal(told.status, 403)
    assert.match(told.text, /This account has been banned\. \(advertising\)/)
    const guessed = await browser.submit(signInPage, { email, password: 'no fine password' })
    assert.doesNotMatch(guessed.text, /banned|advertising/)
  })

  it('goes on with the app’s request after a reset in the browser that asked, and in no other', async () => {
    const reader = await createReader(service)
    const app = await createClient(service, { clientName: 'Shelf' })
    const browser = newBrowser()
    const signInPage = await browser.get(authorizationRequest(app).path)
    const [, href = ''] = /href="(\/forgotten-password\?interaction=[^"]+)"/.exec(signInPage.text) ?? []
    await askReset(browser, reader.email, href)
    const page = await browser.get(await nextLink(reader.email))
    const consent = await browser.submit(page, { password: 'another fine password' })
    assert.ok(answerOf(await goThrough(browser, consent, reader)).get('code'))

    await askReset(browser, reader.email, href)
    const link = await nextLink(reader.email, 2)
    const other = newBrowser()
    const landed = await other.submit(await other.get(link), { password: 'a third fine password' })
    assert.equal(new URL(landed.url).pathname, '/account')
  })

  it('answers the same to a forgotten password whether there is an account or not', async () => {
    const reader = await createReader(service)
    const unknownEmail = newEmail()
    const answers = await Promise.all(
      [reader.email, unknownEmail].map((email) => askReset(newBrowser(), email)),
    )
    const [known, unknown] = answers.map(comparable)
    assert.deepEqual(known, unknown)
    await allSent()
    assert.equal(mailsTo(reader.email).length, 1)
    assert.deepEqual(mailsTo(unknownEmail), [])
  })

  it('keeps the link for a reset while the new password is refused', async () => {
    const reader = await createReader(service)
    await askReset(newBrowser(), reader.email)
    const browser = newBrowser()
    const page = await browser.get(await nextLink(reader.email))
    for (const password of ['', 'password', reader.email]) {
      const refused = await browser.submit(page, { password })
      assert.equal(refused.status, 422, password)
      assert.match(refused.text, /id="password-error"/)
    }
    await browser.submit(page, { password: 'another fine password' })
    assert.ok(await isSignedIn(browser))
  })

  it('uses a link for a reset once, also when five do at the same time', async () => {
    const reader = await createReader(service)
    await askReset(newBrowser(), reader.email)
    const browser = newBrowser()
    const link = await nextLink(reader.email)
    const page = await browser.get(link)
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, index) => browser.submit(page, { password: `fine password ${index}` })),
    )
    assert.equal(answers.filter(({ status }) => status === 410).length, 4)
    const events = await eventsOf(reader.id)
    assert.equal(events.filter((kind) => kind === 'password_reset').length, 1)
    const looked = await browser.get(link)
    assert.equal(looked.status, 410)
    assert.match(looked.text, /href="\/forgotten-password"/)
  })

  it('refuses a link for a reset that is too old', async () => {
    const reader = await createReader(service)
    await askReset(newBrowser(), reader.email)
    const browser = newBrowser()
    const link = await nextLink(reader.email)
    const page = await browser.get(link)
    await expire(link)
    assert.equal((await browser.get(link)).status, 410)
    assert.equal((await browser.submit(page, { password: 'another fine password' })).status, 410)
    assert.ok(await isSignedIn((await signIn(reader)).browser))
  })
})

/** Header and text of a mail with its quoted-printable undone. */
function readMail(message: string): Mail {
  const [head = '', ...rest] = message.split('\r\n\r\n')
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'mi').exec(head)?.[1]?.trim() ?? ''
  const body = rest.join('\r\n\r\n')
  const text = /^content-transfer-encoding: quoted-printable/im.test(head)
    ? body
        .replaceAll('=\r\n', '')
        .replaceAll(/=([0-9A-F]{2})/g, (_all, byte: string) => String.fromCharCode(parseInt(byte, 16)))
    : body
  const [link] = /http\S+/.exec(text) ?? []
  return { to: header('to').replaceAll(/[<>]/g, ''), subject: header('subject'), text, link }
}

const tokenOf = (link: string) => new URL(link, 'http://localhost').searchParams.get('token') ?? ''

const cookiesOf = (browser: PlainBrowser) =>
  Object.entries(browser.cookies())
    .map(([name, value]) => `${name}=${value}`)
    .join('; ')

/** What two answers to different addresses must have in common. */
const comparable = ({ status, text, headers }: Visit) => ({
  status,
  text: text.replaceAll(/name="_csrf" value="[^"]*"/g, '').replaceAll(/[\w-]+@example\.org/g, 'ADDRESS'),
  headers: [...headers.keys()].filter((name) => name !== 'date' && name !== 'content-length'),
  cookies: headers.getSetCookie().map((line) => line.replace(/=[^;]*/, '')),
})
