import assert from 'node:assert/strict'
import { it } from 'node:test'
import { accountPages, fillForm } from '#test/account-pages.ts'
import { ageSignIns } from '#test/accounts.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { ForgedProvider } from '#test/forged-provider.ts'
import type { TestService } from '#test/service.ts'
import { newUpstreamUser, UPSTREAM_PASSWORD, setUpUpstreamTest } from '#test/upstream.ts'

describeOnDatabase('an account that signs in through another provider only', (engine) => {
  let club: ForgedProvider
  let service: TestService
  const {
    start,
    signInAt,
    arrive,
    signUp,
    identitiesOf,
    confirmAddress,
    addUser,
    signInWithPassword,
    connect,
    disconnect,
    accountOf,
    signIn,
  } = setUpUpstreamTest(engine, (test) => {
    ;({ club, service } = test)
  })

  it('does not remove the last passkey of an account without a password', async () => {
    const { browser, account } = await signUp()
    const id = await accountPages(service).addPasskey(account.id)
    await confirmAddress(account.id)
    await disconnect(browser)
    const path = `/account/security/passkeys/change?passkey=${id}`
    const refused = await fillForm(browser, path, {}, '/account/security/passkeys/remove')
    assert.equal(refused.status, 409)
  })

  it('requires a fresh sign-in at the provider when a signed-in user must confirm their identity', async () => {
    const { browser, user, account } = await signUp()
    await ageSignIns(service.db, account.id)
    const authTime = (ageSeconds: number) =>
      club.lie({ claims: { auth_time: Math.floor(Date.now() / 1_000) - ageSeconds } })
    const again = async () => {
      const started = await start(browser, '/sign-in?again=yes')
      const { searchParams } = new URL(started.location ?? '')
      assert.equal(searchParams.get('max_age'), '0')
      return browser.get(signInAt(started, user))
    }
    authTime(3_600)
    const refused = await again()
    assert.equal(refused.status, 403)
    assert.match(refused.text, /The Club didn’t ask you to sign in again/)
    authTime(0)
    assert.equal((await again()).status, 200)

    const { id, email } = await addUser()
    const owner = await signInWithPassword(email)
    authTime(3_600)
    const connected = await connect(owner, newUpstreamUser(), {
      current_password: UPSTREAM_PASSWORD,
    })
    assert.equal(connected.status, 403)
    assert.deepEqual(await identitiesOf(id), [])
    assert.equal((await arrive(user)).page.status, 200)
  })

  it('requires a recent sign-in for changes to an account that has no password', async () => {
    const { browser, user, account } = await signUp()
    const form = await browser.get('/account/delete')
    assert.doesNotMatch(form.text, /current_password/)
    await ageSignIns(service.db, account.id)
    const stale = await browser.get('/account/password')
    assert.match(stale.text, /href="\/sign-in\/again"/)
    const refused = await browser.press(stale, '/account/password', {
      password: 'a new long password',
    })
    assert.equal(refused.status, 403)
    assert.equal((await accountOf(user.email))?.password_hash, null)
    browser.headers = { ...browser.headers, referer: `${service.url}/account/password` }
    const signInPage = await browser.get('/sign-in/again')
    const started = await browser.press(signInPage, '/sign-in/with/club')
    const back = await browser.get(signInAt(started, user))
    assert.equal(new URL(back.url).pathname, '/account/password')
    const done = await browser.press(back, '/account/password', { password: 'a new long password' })
    assert.match(done.text, /Password changed/)
    assert.match((await browser.get('/account/delete')).text, /current_password/)
  })

  it('rejects every password for an account that has none', async () => {
    const { user } = await signUp()
    for (const password of ['', 'null', 'a long enough one']) {
      const { visit } = await signIn({ email: user.email, password })
      assert.equal(visit.status, 422)
    }
  })
})
