import assert from 'node:assert/strict'
import { it } from 'node:test'
import { formWith } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { newUpstreamUser, setUpUpstreamTest } from '#test/upstream.ts'

describeOnDatabase('sign-up with an account of another provider', (engine) => {
  const test = setUpUpstreamTest(engine)

  it('creates an account with an address that the provider has verified', async () => {
    const user = newUpstreamUser()
    const { browser, page } = await test.arrive(user)
    assert.match(page.text, /The Club has verified/)
    assert.equal(formWith(page, ['email']).fields['email'], user.email)
    assert.equal(await test.accountOf(user.email), undefined)
    const done = await browser.submit(page, { name: 'Ryo' })
    assert.equal(new URL(done.url).pathname, '/account/welcome')
    const account = await test.accountOf(user.email)
    assert.ok(account?.email_verified_at)
    assert.equal(account.name, 'Ryo')
    assert.equal(account.password_hash, null)
    assert.deepEqual(await test.eventsOf(account.id), ['sign_up', 'sign_in'])
    assert.ok(await test.isSignedIn(browser))
    const rows = await test.service.db.selectFrom('upstream_flows').select('provider').execute()
    assert.deepEqual(rows, [])
  })

  it('signs in to the connected account, whatever address the provider reports later', async () => {
    const { user, account } = await test.signUp()
    const { browser, page } = await test.arrive({ ...user, email: 'changed@example.org' })
    assert.equal(new URL(page.url).pathname, '/account')
    assert.ok(await test.isSignedIn(browser))
    assert.equal((await test.sessionsOf(account.id)).length, 2)
  })

  it('sends a confirmation link to an address that the provider has not verified', async () => {
    const user = newUpstreamUser({ email_verified: false })
    const { browser, page } = await test.arrive(user)
    const sent = await browser.submit(page, { name: 'Ryo' })
    assert.match(sent.text, /Check your email/)
    assert.equal(await test.accountOf(user.email), undefined)
    const link = await test.nextLink(user.email)
    const elsewhere = test.newBrowser()
    assert.equal((await elsewhere.get(link)).status, 403)
    const confirm = await browser.get(link)
    const token = new URL(link).search
    const forged = await elsewhere.submit(
      await elsewhere.get('/sign-in'),
      { email: 'x@example.org', password: 'y' },
      {
        ...formWith(await elsewhere.get('/sign-in'), ['password']),
        action: `/sign-up/confirm${token}`,
      },
    )
    assert.equal(forged.status, 403)
    assert.equal(await test.accountOf(user.email), undefined)
    await browser.submit(confirm)
    const account = await test.accountOf(user.email)
    assert.ok(account?.email_verified_at)
    assert.ok(await test.isSignedIn(browser))
    assert.equal((await test.identitiesOf(account.id)).length, 1)
  })

  it('sends a confirmation link to an address that differs from the one the provider verified', async () => {
    const user = newUpstreamUser()
    const { browser, page } = await test.arrive(user)
    const own = newUpstreamUser().email
    const sent = await browser.submit(page, { name: 'Ryo', email: own })
    assert.match(sent.text, /Check your email/)
    await browser.submit(await browser.get(await test.nextLink(own)))
    assert.ok(await test.accountOf(own))
    assert.equal(await test.accountOf(user.email), undefined)
  })

  it('validates the form and keeps what was entered', async () => {
    const { browser, page } = await test.arrive(newUpstreamUser())
    const refused = await browser.submit(page, { name: '', email: 'nonsense' })
    assert.equal(refused.status, 422)
    assert.equal(formWith(refused, ['email']).fields['email'], 'nonsense')
  })

  it('creates one account if the form is sent several times at once', async () => {
    const user = newUpstreamUser()
    const { browser, page } = await test.arrive(user)
    const visits = await Promise.all(
      Array.from({ length: 5 }, () => browser.submit(page, { name: 'Ryo' })),
    )
    assert.ok(
      visits.every(({ status }) => status === 200 || status === 410),
      visits.map(({ status }) => status).join(),
    )
    const accounts = await test.service.db
      .selectFrom('upstream_identities')
      .select('account_id')
      .where('subject', '=', user.sub)
      .execute()
    assert.equal(accounts.length, 1)
    assert.equal(
      (
        await test.service.db
          .selectFrom('accounts')
          .select('id')
          .where('email', '=', user.email)
          .execute()
      ).length,
      1,
    )
  })

  it('creates one account if two browsers finish at once with different addresses', async () => {
    const user = newUpstreamUser()
    const tabs = await Promise.all([
      test.arrive(user),
      test.arrive({ ...user, email: newUpstreamUser().email }),
    ])
    const visits = await Promise.all(
      tabs.map(({ browser, page }) => browser.submit(page, { name: 'Ryo' })),
    )
    assert.ok(visits.every(({ status }) => status === 200))
    const accounts = await test.service.db
      .selectFrom('accounts')
      .innerJoin('upstream_identities', 'upstream_identities.account_id', 'accounts.id')
      .select('accounts.email')
      .where('subject', '=', user.sub)
      .execute()
    assert.equal(accounts.length, 1)
  })

  it('shows the form for a new account only in the browser that began the sign-in', async () => {
    const { page } = await test.arrive(newUpstreamUser())
    assert.equal((await test.newBrowser().get(page.url)).status, 410)
  })
})
