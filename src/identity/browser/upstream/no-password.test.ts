import assert from 'node:assert/strict'
import { it } from 'node:test'
import { accountPages, fillForm } from '#test/account-pages.ts'
import { ageSignIns } from '#test/accounts.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { newUpstreamUser, UPSTREAM_PASSWORD, setUpUpstreamTest } from '#test/upstream.ts'

describeOnDatabase('an account that signs in through another provider only', (engine) => {
  const test = setUpUpstreamTest(engine)

  it('does not remove the last passkey of an account without a password', async () => {
    const { browser, account } = await test.signUp()
    const id = await accountPages(test.service).addPasskey(account.id)
    await test.confirmAddress(account.id)
    await test.disconnect(browser)
    const path = `/account/security/passkeys/change?passkey=${id}`
    const refused = await fillForm(browser, path, {}, '/account/security/passkeys/remove')
    assert.equal(refused.status, 409)
  })

  it('requires a fresh sign-in at the provider when a signed-in user must confirm their identity', async () => {
    const { browser, user, account } = await test.signUp()
    await ageSignIns(test.service.db, account.id)
    const authTime = (ageSeconds: number) =>
      test.club.lie({ claims: { auth_time: Math.floor(Date.now() / 1_000) - ageSeconds } })
    const again = async () => {
      const started = await test.start(browser, '/sign-in?again=yes')
      const { searchParams } = new URL(started.location ?? '')
      assert.equal(searchParams.get('max_age'), '0')
      return browser.get(test.signInAt(started, user))
    }
    authTime(3_600)
    const refused = await again()
    assert.equal(refused.status, 403)
    assert.match(refused.text, /The Club didn’t ask you to sign in again/)
    authTime(0)
    assert.equal((await again()).status, 200)

    const { id, email } = await test.addUser()
    const owner = await test.signInWithPassword(email)
    authTime(3_600)
    const connected = await test.connect(owner, newUpstreamUser(), {
      current_password: UPSTREAM_PASSWORD,
    })
    assert.equal(connected.status, 403)
    assert.deepEqual(await test.identitiesOf(id), [])
    assert.equal((await test.arrive(user)).page.status, 200)
  })

  it('requires a recent sign-in for changes to an account that has no password', async () => {
    const { browser, user, account } = await test.signUp()
    const form = await browser.get('/account/delete')
    assert.doesNotMatch(form.text, /current_password/)
    await ageSignIns(test.service.db, account.id)
    const stale = await browser.get('/account/password')
    assert.match(stale.text, /href="\/sign-in\/again"/)
    const refused = await browser.press(stale, '/account/password', {
      password: 'a new long password',
    })
    assert.equal(refused.status, 403)
    assert.equal((await test.accountOf(user.email))?.password_hash, null)
    browser.headers = { ...browser.headers, referer: `${test.service.url}/account/password` }
    const signInPage = await browser.get('/sign-in/again')
    const started = await browser.press(signInPage, '/sign-in/with/club')
    const back = await browser.get(test.signInAt(started, user))
    assert.equal(new URL(back.url).pathname, '/account/password')
    const done = await browser.press(back, '/account/password', { password: 'a new long password' })
    assert.match(done.text, /Password changed/)
    assert.match((await browser.get('/account/delete')).text, /current_password/)
  })

  it('rejects every password for an account that has none', async () => {
    const { user } = await test.signUp()
    for (const password of ['', 'null', 'a long enough one']) {
      const { visit } = await test.signIn({ email: user.email, password })
      assert.equal(visit.status, 422)
    }
  })
})
