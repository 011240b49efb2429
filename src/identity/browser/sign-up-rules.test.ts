import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { fillForm, PASSWORD } from '#test/account-pages.ts'
import { accountFlows, comparableResponse } from '#test/account-flows.ts'
import { addAccount } from '#test/accounts.ts'
import { signedInBrowser, submitSignIn } from '#test/authorization.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { startService, type TestService } from '#test/service.ts'
import { newEmail, SIGN_UP_PASSWORD, signUp } from '#test/sign-ups.ts'

/** Services with different settings on one database. */
describe('the rules of sign-up', () => {
  let database: TestDatabase
  let open: TestService
  let closed: TestService
  let limited: TestService
  before(async () => {
    database = await createDatabase('server', 'empty')
    open = await startService({ database })
    closed = await startService({ database, environment: { SIGN_UP: 'closed' } })
    limited = await startService({
      database,
      environment: { SIGN_UP_MAIL_DOMAINS: 'good.example,.sub.example,bücher.example' },
    })
  })
  after(async () => {
    for (const service of [open, closed, limited]) await service.close()
    await database.remove()
  })
  // All tests use one client address.
  beforeEach(() => open.db.deleteFrom('attempts').execute())

  const flows = accountFlows(() => open)
  const { accountOf, allSent, mailsTo, nextLink } = flows
  const browserOf = (service: TestService) => accountFlows(() => service).newBrowser()
  const pathOf = (link: string) => new URL(link).pathname + new URL(link).search

  it('refuse new accounts while sign-up is closed, and name the contact', async () => {
    const browser = browserOf(closed)
    const page = await browser.get('/sign-up')
    assert.equal(page.status, 403)
    assert.match(page.text, /<h1>Sign-up is closed<\/h1>/)
    assert.match(page.text, /href="mailto:mokuroku@localhost"/)
    assert.ok(!page.forms.some(({ action }) => action === '/sign-up'))
    const signInPage = await browser.get('/sign-in')
    assert.ok(!signInPage.text.includes('/sign-up'))

    const email = newEmail()
    const { _csrf = '' } = signInPage.forms[0]?.fields ?? {}
    const fields = { email, name: 'Ryo', password: SIGN_UP_PASSWORD, _csrf }
    assert.equal((await browser.post('/sign-up', fields)).status, 403)
    await allSent()
    assert.deepEqual(mailsTo(email), [])
  })

  it('refuse a link that was sent before sign-up was closed, and accept it once sign-up is open again', async () => {
    const email = newEmail()
    await signUp(browserOf(open), email)
    const path = pathOf(await nextLink(email))
    const browser = browserOf(closed)
    assert.equal((await browser.get(path)).status, 403)
    const { _csrf = '' } = (await browser.get('/sign-in')).forms[0]?.fields ?? {}
    const sent = await browser.post(path, { password: SIGN_UP_PASSWORD, _csrf })
    assert.equal(sent.status, 403)
    assert.equal(await accountOf(email), undefined)

    const later = browserOf(open)
    await later.submit(await later.get(path), { password: SIGN_UP_PASSWORD })
    assert.ok(await accountOf(email))
  })

  it('let existing users sign in while sign-up is closed', async () => {
    const email = newEmail()
    await addAccount(open.db, { email, name: 'Mei', password: PASSWORD })
    const visit = await submitSignIn(browserOf(closed), { email, password: PASSWORD })
    assert.equal(new URL(visit.url).pathname, '/account')
  })

  it('accept only addresses at the listed domains', async () => {
    const statuses = async (emails: string[]) => {
      const browser = browserOf(limited)
      const found: Record<string, number> = {}
      for (const email of emails) {
        await limited.db.deleteFrom('attempts').execute()
        found[email] = (await signUp(browser, email)).status
      }
      return found
    }
    const accepted = [
      'a@good.example',
      'b@GOOD.Example',
      'c@ｇｏｏｄ.example',
      'd@x.sub.example',
      'e@x.y.sub.example',
      'f@bücher.example',
      'g@XN--BCHER-KVA.example',
      'user%evil.example@good.example',
      'a one-dot leader and a zero-width space@x\u2024sub.example\u200b'.replaceAll(' ', '-'),
    ]
    assert.deepEqual(
      await statuses(accepted),
      Object.fromEntries(accepted.map((item) => [item, 200])),
    )
    const refused = [
      'a@evil.example',
      'a@x.good.example',
      'a@sub.example',
      'a@notsub.example',
      'a@.sub.example',
      'a@x..sub.example',
      'a@good.example.',
      'a@good.example.evil.example',
      'user@evil.example@good.example',
      '"user@evil.example"@good.example',
      'user@evil.example/x.sub.example',
      'user@evil.example#x.sub.example',
      'user@evil.example%x.sub.example',
      'user@evil.example?x.sub.example',
      'a@good\u0000.example',
      'a@gооd.example',
      'a@good.example\r\nBcc: b@evil.example',
      'a@good',
      'a@',
    ]
    assert.deepEqual(
      await statuses(refused),
      Object.fromEntries(refused.map((item) => [item, 422])),
    )
    const page = await signUp(browserOf(limited), 'a@evil.example')
    assert.match(page.text, /id="email-error">Addresses at this domain aren’t accepted/)
    assert.match(
      page.text,
      /Only addresses at good\.example, \*\.sub\.example, bücher\.example are/,
    )
  })

  it('respond identically whether or not an address at another domain has an account', async () => {
    const email = newEmail()
    await addAccount(open.db, { email, name: 'Mei', password: PASSWORD })
    const [known, unknown] = await Promise.all(
      [email, newEmail()].map(async (item) =>
        comparableResponse(await signUp(browserOf(limited), item)),
      ),
    )
    assert.equal(known?.status, 422)
    assert.deepEqual(known, unknown)
  })

  it('check the domain again when a sign-up is confirmed', async () => {
    const email = newEmail()
    await signUp(browserOf(open), email)
    const path = pathOf(await nextLink(email))
    const browser = browserOf(limited)
    const page = await browser.submit(await browser.get(path), { password: SIGN_UP_PASSWORD })
    assert.equal(page.status, 422)
    assert.equal(await accountOf(email), undefined)
  })

  it('apply to the address of an existing account only when it changes', async () => {
    const email = newEmail()
    await addAccount(open.db, { email, name: 'Mei', password: PASSWORD })
    const signedIn = (service: TestService) =>
      signedInBrowser(service, { email, password: PASSWORD })
    const browser = await signedIn(limited)
    const change = (to: string) =>
      fillForm(browser, '/account/email', { email: to, current_password: PASSWORD })
    const refused = await change('mei@evil.example')
    assert.equal(refused.status, 422)
    assert.match(refused.text, /id="email-error">Addresses at this domain/)
    assert.equal((await change('mei@good.example')).status, 200)
    await nextLink('mei@good.example')

    const other = await signedIn(open)
    const fields = { email: 'mei@evil.example', current_password: PASSWORD }
    await fillForm(other, '/account/email', fields)
    const path = pathOf(await nextLink('mei@evil.example'))
    const confirm = await browser.get(path)
    const late = await browser.submit(
      confirm,
      {},
      confirm.forms.find(({ action }) => action === '/account/email/confirm'),
    )
    assert.equal(late.status, 422)
    assert.equal((await accountOf(email))?.name, 'Mei')
  })
})
