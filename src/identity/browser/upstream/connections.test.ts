import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fillForm } from '#test/account-pages.ts'
import { ageSignIns } from '#test/accounts.ts'
import { describeOnDatabase } from '#test/databases.ts'
import {
  newUpstreamUser,
  PROVIDERS_PATH,
  UPSTREAM_PASSWORD,
  setUpUpstreamTest,
} from '#test/upstream.ts'
import { exportAccount } from '../../../accounts/profile/export.ts'

describeOnDatabase('the connection of an account to another provider', (engine) => {
  const test = setUpUpstreamTest(engine)

  it('never connects an account because of its address alone, even if the provider has verified it', async () => {
    const { id, email } = await test.addUser()
    const { browser, page } = await test.arrive(newUpstreamUser({ email }))
    const refused = await browser.submit(page, { name: 'Eve' })
    assert.equal(refused.status, 409)
    assert.match(refused.text, /already has an account/)
    assert.ok(!(await test.isSignedIn(browser)))
    assert.deepEqual(await test.identitiesOf(id), [])
    // The page still offers the other choices.
    assert.equal((await browser.get(page.url)).status, 200)
    const signInPage = await browser.submit(refused, { decision: 'connect' })
    const confirm = await browser.submit(signInPage, { email, password: UPSTREAM_PASSWORD })
    assert.equal(new URL(confirm.url).pathname, `${PROVIDERS_PATH}/confirm`)
    assert.equal(confirm.status, 200)
  })

  it('connects an existing account after its owner has signed in to it', async () => {
    const { id, email } = await test.addUser()
    const user = newUpstreamUser({ email })
    const { browser, page } = await test.arrive(user)
    const signInPage = await browser.submit(page, { decision: 'connect' })
    assert.match(signInPage.text, /account you want to connect/)
    const confirm = await browser.submit(signInPage, { email, password: UPSTREAM_PASSWORD })
    assert.equal(new URL(confirm.url).pathname, `${PROVIDERS_PATH}/confirm`)
    assert.deepEqual(await test.identitiesOf(id), [])
    const done = await browser.press(
      confirm,
      `${PROVIDERS_PATH}/confirm${new URL(confirm.url).search}`,
    )
    assert.match(done.text, /Sign-in provider connected/)
    assert.deepEqual(await test.identitiesOf(id), [{ issuer: test.club.issuer, subject: user.sub }])
    assert.ok((await test.eventsOf(id)).includes('provider_connected'))
    await test.allSent()
    assert.ok(test.mailsTo(email).some(({ subject }) => /sign-in methods/.test(subject)))
    const again = await test.arrive(user)
    assert.equal(new URL(again.page.url).pathname, '/account')
  })

  it('asks for a recent sign-in before connecting, even if the browser already has a session', async () => {
    const { id, email } = await test.addUser()
    const browser = await test.signInWithPassword(email)
    // The session is older than the flow.
    await ageSignIns(test.service.db, id)
    const started = await test.start(browser, '/sign-in?again=yes')
    const page = await browser.get(test.signInAt(started, newUpstreamUser()))
    const token = new URL(page.url).searchParams.get('flow')
    const confirm = await browser.get(`${PROVIDERS_PATH}/confirm?flow=${token}`)
    assert.equal(new URL(confirm.url).pathname, '/sign-in')
    assert.deepEqual(await test.identitiesOf(id), [])
  })

  it('connects and disconnects a provider on the account page, which requires the password', async () => {
    const { id, email } = await test.addUser()
    const browser = await test.signInWithPassword(email)
    assert.match((await browser.get('/account/security')).text, /Sign-in providers/)
    const user = newUpstreamUser()
    const refused = await test.connect(browser, user, { current_password: 'wrong one' })
    assert.equal(refused.status, 422)
    const done = await test.connect(browser, user, { current_password: UPSTREAM_PASSWORD })
    assert.match(done.text, /Sign-in provider connected/)
    assert.match(done.text, new RegExp(user.email))
    assert.deepEqual(await test.identitiesOf(id), [{ issuer: test.club.issuer, subject: user.sub }])
    const data = await exportAccount(test.service.db, id)
    assert.deepEqual(
      data?.upstream_identities.map(({ subject }) => subject),
      [user.sub],
    )
    const gone = await test.disconnect(browser, { current_password: UPSTREAM_PASSWORD })
    assert.match(gone.text, /Sign-in provider disconnected/)
    assert.deepEqual(await test.identitiesOf(id), [])
    assert.deepEqual((await test.eventsOf(id)).slice(-2), [
      'provider_connected',
      'provider_disconnected',
    ])
  })

  it('refuses to connect an identity that is connected to another account', async () => {
    const { user } = await test.signUp()
    const { id, email } = await test.addUser()
    const browser = await test.signInWithPassword(email)
    const refused = await test.connect(browser, user, { current_password: UPSTREAM_PASSWORD })
    assert.equal(refused.status, 409)
    assert.deepEqual(await test.identitiesOf(id), [])
  })

  it('connects no provider after the session has ended', async () => {
    const { id, email } = await test.addUser()
    const browser = await test.signInWithPassword(email)
    const path = `${PROVIDERS_PATH}/change?issuer=${encodeURIComponent(test.club.issuer)}`
    const visit = await fillForm(
      browser,
      path,
      { current_password: UPSTREAM_PASSWORD },
      `${PROVIDERS_PATH}/connect`,
    )
    await test.service.db.deleteFrom('sessions').where('account_id', '=', id).execute()
    const page = await browser.get(test.signInAt(visit, newUpstreamUser()))
    assert.equal(new URL(page.url).pathname, '/sign-in')
    assert.deepEqual(await test.identitiesOf(id), [])
  })

  it('does not disconnect the provider if it is the only way to sign in', async () => {
    const { browser, account } = await test.signUp()
    const refused = await test.disconnect(browser)
    assert.equal(refused.status, 409)
    assert.match(refused.text, /only way to sign in/)
    assert.equal((await test.identitiesOf(account.id)).length, 1)
    await fillForm(browser, '/account/password', { password: 'a new long password' })
    await test.confirmAddress(account.id)
    assert.match(
      (await test.disconnect(browser, { current_password: 'a new long password' })).text,
      /disconnected/,
    )
  })
})
