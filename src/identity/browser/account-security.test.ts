import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { accountPages, csrfToken, fillForm, HOSTILE, PASSWORD } from '#test/account-pages.ts'
import { submitSignIn } from '#test/authorization.ts'
import { formTo, PlainBrowser, type Visit } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { waitForLink } from '#test/mailbox.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { createLink } from '../../accounts/mail/link-queries.ts'
import { listSessions } from '../provider/storage/session-queries.ts'

describeOnDatabase('account pages for credentials', (engine) => {
  let service: TestService
  let pages: ReturnType<typeof accountPages>
  before(async () => {
    service = await shareService(engine)
    pages = accountPages(service)
  })
  after(() => service.close())

  it('require the current password for important changes, and slow down guesses', async () => {
    const { id, browser } = await pages.createSignedInUser()
    await pages.addPasskey(id)
    const _csrf = await csrfToken(browser)
    const before = await pages.account(id)
    const protectedForms: [string, Record<string, string>][] = [
      ['/account/email', { email: 'new@example.com' }],
      ['/account/password', { password: 'another long one' }],
      ['/account/security/authenticator', { secret: 'A'.repeat(32), code: '000000' }],
      ['/account/security/authenticator/off', {}],
      ['/account/security/passkeys', { name: 'Key', response: '{}' }],
      ['/account/security/passkeys/options', { name: 'Key' }],
      ['/account/security/passkeys/remove', { passkey: `credential-of-${id}` }],
      ['/account/delete', {}],
    ]
    const statuses: number[] = []
    for (const [path, fields] of protectedForms) {
      const visit = await browser.post(path, { _csrf, ...fields, current_password: 'wrong' })
      statuses.push(visit.status)
      assert.ok(visit.status === 422 || visit.status === 429, `${path} answered ${visit.status}`)
      if (visit.status === 429) assert.match(visit.headers.get('retry-after') ?? '', /^\d+$/)
      if (visit.headers.get('content-type')?.startsWith('text/html')) {
        assert.match(visit.text, /id="current_password"[^>]*aria-invalid="true"/, path)
        assert.doesNotMatch(visit.text, /value="wrong"/)
      }
    }
    assert.ok(statuses.includes(422) && statuses.includes(429), statuses.join())
    assert.deepEqual(await pages.account(id), before)
  })

  it('change the email address only after the mailed link is confirmed', async () => {
    const { id, email, browser } = await pages.createSignedInUser()
    const next = `next-${email}`
    const submitted = await fillForm(browser, '/account/email', {
      email: next,
      current_password: PASSWORD,
    })
    assert.match(submitted.text, /We’ve sent a link/)
    assert.equal((await pages.account(id)).email, email)

    const path = '/account/email/confirm'
    const link = new URL(await waitForLink(service.config.dataDir, next, path))
    const token = link.searchParams.get('token') ?? ''
    const page = await browser.get(`/account/email/confirm?token=${token}`)
    assert.match(page.text, new RegExp(next))
    assert.equal((await pages.account(id)).email, email)
    const otherUser = await pages.createSignedInUser()
    assert.equal((await otherUser.browser.get(`/account/email/confirm?token=${token}`)).status, 410)
    const otherFields = { _csrf: await csrfToken(otherUser.browser), token }
    assert.equal((await otherUser.browser.post('/account/email/confirm', otherFields)).status, 410)
    const form = formTo(page, '/account/email/confirm')
    assert.match((await browser.submit(page, {}, form)).text, /Email address changed/)
    assert.equal((await pages.account(id)).email, next)
    assert.equal((await browser.submit(page, {}, form)).status, 410)
    assert.ok((await pages.eventKinds(id)).includes('email_changed'))
  })

  it('reject an email address that is invalid, unchanged or no longer available', async () => {
    const { id, email, browser } = await pages.createSignedInUser()
    const other = await pages.createSignedInUser()
    for (const entered of ['nonsense', email.toUpperCase()]) {
      const visit = await fillForm(browser, '/account/email', {
        email: entered,
        current_password: PASSWORD,
      })
      assert.equal(visit.status, 422)
      assert.match(visit.text, /id="email"[^>]*aria-invalid="true"/)
      assert.equal(formTo(visit, '/account/email').fields['email'], entered)
    }
    const token = await createLink(service.db, {
      purpose: 'change_email',
      email: other.email,
      account_id: id,
    })
    const page = await browser.get(`/account/email/confirm?token=${token}`)
    assert.equal((await browser.press(page, '/account/email/confirm')).status, 409)
    assert.equal((await pages.account(id)).email, email)
  })

  it('change the password and end every other session', async () => {
    const { id, email, browser } = await pages.createSignedInUser()
    const other = await pages.signIn(email)
    const short = await fillForm(browser, '/account/password', {
      current_password: PASSWORD,
      password: 'short',
    })
    assert.equal(short.status, 422)
    assert.doesNotMatch(short.text, /value="short"/)
    const password = 'quite another one'
    const changed = await fillForm(browser, '/account/password', {
      current_password: PASSWORD,
      password,
    })
    assert.match(changed.text, /Password changed/)
    assert.match((await other.get('/account')).url, /\/sign-in$/)
    assert.match((await browser.get('/account')).url, /\/account$/)
    const repeated = new PlainBrowser(service.url)
    const old = await submitSignIn(repeated, { email, password: PASSWORD })
    assert.equal(old.status, 422)
    assert.match((await submitSignIn(repeated, { email, password })).url, /\/account$/)
    assert.ok((await pages.eventKinds(id)).includes('password_changed'))
  })

  it('list sessions by device, and end one or all others, but never those of another account', async () => {
    const { id, email, browser } = await pages.createSignedInUser()
    const firefox = 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0'
    const one = await pages.signIn(email, { 'user-agent': firefox })
    await pages.signIn(email, { 'user-agent': HOSTILE })
    const page = await browser.get('/account/sessions')
    assert.match(page.text, /Firefox on Windows/)
    assert.equal(page.text.match(/this device/g)?.length, 1)
    assert.doesNotMatch(page.text, /<script>/)
    const session = (await listSessions(service.db, id)).find(
      ({ user_agent }) => user_agent === firefox,
    )
    assert.ok(session)

    const otherUser = await pages.createSignedInUser()
    const _csrf = await csrfToken(otherUser.browser)
    await otherUser.browser.post('/account/sessions/end', { _csrf, session: session.uid })
    await otherUser.browser.post('/account/sessions/end-others', { _csrf })
    assert.equal((await listSessions(service.db, id)).length, 3)

    const form = page.forms.find(({ fields }) => fields['session'] === session.uid)
    assert.match((await browser.submit(page, {}, form)).text, /Session ended/)
    assert.match((await one.get('/account')).url, /\/sign-in$/)
    await fillForm(browser, '/account/sessions', {}, '/account/sessions/end-others')
    assert.equal((await listSessions(service.db, id)).length, 1)
    assert.match((await browser.get('/account')).url, /\/account$/)
    assert.deepEqual((await pages.eventKinds(id)).slice(0, 2), ['session_ended', 'session_ended'])
  })

  it('turn the authenticator app on and off, and show recovery codes once', async () => {
    const { id, browser } = await pages.createSignedInUser()
    const path = '/account/security/authenticator'
    const page = await browser.get(path)
    assert.match(page.text, /<svg /)
    assert.doesNotMatch(page.text, / style=/)
    const secret = formTo(page, path).fields['secret'] ?? ''
    const wrong = await browser.press(page, path, { code: 'no', current_password: PASSWORD })
    assert.equal(wrong.status, 422)
    assert.equal(formTo(wrong, path).fields['secret'], secret)
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
    const on = await browser.press(wrong, path, { code, current_password: PASSWORD })
    const codesIn = ({ text }: Visit) => text.match(/(?<=<code>)[0-9a-z-]{19}(?=<\/code>)/g) ?? []
    assert.equal(codesIn(on).length, 10)
    assert.ok((await pages.account(id)).has_totp)
    assert.equal((await browser.get(path)).status, 409)
    assert.equal(codesIn(await browser.get('/account/security')).length, 0)

    const codes = '/account/security/recovery-codes'
    const form = await browser.get(codes)
    const replace = () => browser.press(form, codes, { current_password: PASSWORD })
    // Reloading the response must not invalidate the printed codes.
    const [repeated, reloaded] = [await replace(), await replace()]
    assert.deepEqual([reloaded.status, codesIn(reloaded)], [409, []])
    assert.match(reloaded.text, /The codes were replaced after this form was shown/)
    assert.equal(codesIn(repeated).length, 10)
    assert.notDeepEqual(codesIn(repeated), codesIn(on))
    const off = await fillForm(browser, `${path}/off`, { current_password: PASSWORD })
    assert.match(off.text, /Authenticator app turned off/)
    assert.ok(!(await pages.account(id)).has_totp)
    assert.equal((await browser.get(codes)).status, 409)
  })

  it('rename and remove only the account’s own passkeys', async () => {
    const { id, browser } = await pages.createSignedInUser()
    const passkey = await pages.addPasskey(id)
    const list = '/account/security/passkeys'
    const change = `${list}/change?passkey=${passkey}`
    const otherUser = await pages.createSignedInUser()
    const otherFields = {
      _csrf: await csrfToken(otherUser.browser),
      passkey,
      current_password: PASSWORD,
    }
    assert.equal((await otherUser.browser.get(change)).status, 404)
    assert.equal(
      (await otherUser.browser.post(`${list}/rename`, { ...otherFields, name: 'x' })).status,
      404,
    )
    assert.equal((await otherUser.browser.post(`${list}/remove`, otherFields)).status, 404)

    assert.equal((await fillForm(browser, change, { name: ' ' }, `${list}/rename`)).status, 422)
    const renamed = await fillForm(browser, change, { name: HOSTILE }, `${list}/rename`)
    assert.match(renamed.text, /&lt;script&gt;/)
    assert.doesNotMatch(renamed.text, /<script>/)
    const removed = await fillForm(
      browser,
      change,
      { current_password: PASSWORD },
      `${list}/remove`,
    )
    assert.match(removed.text, /Passkey removed/)
    assert.equal((await pages.eventKinds(id))[0], 'passkey_removed')
  })

  it('offer options for a new passkey, and reject unsigned responses', async () => {
    const { browser } = await pages.createSignedInUser()
    const _csrf = await csrfToken(browser)
    const entered = { _csrf, name: 'Phone', current_password: PASSWORD }
    const options = await browser.post('/account/security/passkeys/options', entered)
    assert.equal(options.status, 200)
    // as: the test fails unless the body is JSON with a challenge
    assert.match((JSON.parse(options.text) as { challenge: string }).challenge, /^[\w-]{43}$/)
    for (const response of [
      '',
      'nonsense',
      '{}',
      'null',
      '{"response":{"clientDataJSON":"e30"}}',
    ]) {
      const visit = await browser.post('/account/security/passkeys', { ...entered, response })
      assert.equal(visit.status, 422)
      assert.match(visit.text, /No passkey was created/)
    }
  })
})
