import assert from 'node:assert/strict'
import { it } from 'node:test'
import { accountPages, fillForm } from '#test/account-pages.ts'
import { describeOnDatabase } from '#test/databases.ts'
import {
  newUpstreamUser,
  PROVIDERS_PATH,
  UPSTREAM_PASSWORD,
  setUpUpstreamTest,
} from '#test/upstream.ts'

describeOnDatabase('recovery of an account that another provider has vouched for', (engine) => {
  const test = setUpUpstreamTest(engine)

  it('disconnects a provider at a password reset if only the provider had verified the address', async () => {
    const { user, account } = await test.signUp()
    const browser = test.newBrowser()
    await test.askReset(browser, user.email)
    const form = await browser.get(await test.nextLink(user.email))
    await browser.submit(form, { password: 'a new long password' })
    assert.deepEqual(await test.identitiesOf(account.id), [])
    assert.equal(new URL((await test.arrive(user)).page.url).pathname, '/sign-up/with')
  })

  it('removes every other sign-in method at a password reset if only a provider had verified the address', async () => {
    const { browser: attacker, user, account } = await test.signUp()
    const pages = accountPages(test.service)
    await pages.addPasskey(account.id)
    const added = await fillForm(
      attacker,
      `${PROVIDERS_PATH}/change?issuer=${encodeURIComponent(test.other.issuer)}`,
      {},
      `${PROVIDERS_PATH}/connect`,
    )
    await attacker.get(test.signInAt(added, newUpstreamUser(), test.other))
    await fillForm(attacker, '/account/password', { password: UPSTREAM_PASSWORD })
    assert.equal((await test.identitiesOf(account.id)).length, 2)
    // Otherwise, connecting the provider again would hide that it alone had verified the address.
    const refused = await test.disconnect(attacker, { current_password: UPSTREAM_PASSWORD })
    assert.equal(refused.status, 409)
    assert.match(refused.text, /reset your password/)
    const owner = test.newBrowser()
    await test.askReset(owner, user.email)
    const form = await owner.get(await test.nextLink(user.email))
    await owner.submit(form, { password: 'a new long password' })
    assert.deepEqual(await test.identitiesOf(account.id), [])
    const passkeys = test.service.db.selectFrom('passkeys').select('name')
    assert.deepEqual(await passkeys.where('account_id', '=', account.id).execute(), [])
  })

  it('disconnects a provider if the owner restores an address that only the provider had verified', async () => {
    const { browser: attacker, user, account } = await test.signUp()
    const { email } = newUpstreamUser()
    await fillForm(attacker, '/account/email', { email })
    const path = '/account/email/confirm'
    const confirm = await attacker.get(await test.nextLink(email))
    await attacker.press(confirm, path)
    await test.allSent()
    const text = test
      .mailsTo(user.email)
      .findLast(({ text: sent }) => sent.includes('/not-me'))?.text
    const owner = test.newBrowser()
    await owner.submit(await owner.get(/http\S+\/not-me\S+/.exec(text ?? '')?.[0] ?? ''))
    assert.equal((await test.accountOf(user.email))?.id, account.id)
    assert.deepEqual(await test.identitiesOf(account.id), [])
  })

  it('keeps a provider after a password reset if the address was confirmed by email', async () => {
    const user = newUpstreamUser({ email_verified: false })
    const { browser, page } = await test.arrive(user)
    await browser.submit(page, { name: 'Ryo' })
    await browser.submit(await browser.get(await test.nextLink(user.email)))
    const account = await test.accountOf(user.email)
    assert.ok(account)
    await test.askReset(browser, user.email)
    await browser.submit(await browser.get(await test.nextLink(user.email, 2)), {
      password: 'a new long password',
    })
    assert.equal((await test.identitiesOf(account.id)).length, 1)
  })

  it('disconnects a provider if the owner reports that someone else connected it', async () => {
    const { id, email } = await test.addUser()
    const browser = await test.signInWithPassword(email)
    await test.connect(browser, newUpstreamUser(), { current_password: UPSTREAM_PASSWORD })
    await test.allSent()
    const text =
      test.mailsTo(email).findLast(({ subject }) => /sign-in methods/.test(subject))?.text ?? ''
    const owner = test.newBrowser()
    const page = await owner.get(/http\S+\/not-me\S+/.exec(text)?.[0] ?? '')
    assert.match(page.text, /The sign-in provider/)
    await owner.submit(page)
    assert.deepEqual(await test.identitiesOf(id), [])
  })
})
