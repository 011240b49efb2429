import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { authorizationRequest, createClient, redeem } from '#test/authorization.ts'
import { formTo, formWith } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { newUpstreamUser, setUpUpstreamTest } from '#test/upstream.ts'
import { banAccount } from '../../../accounts/ban-queries.ts'
import { confirmTotp } from '../../../accounts/credentials/second-factor.ts'
import { generateTotpSecret } from '../../../accounts/credentials/totp.ts'
import { deleteAccount, requestDeletion } from '../../../accounts/deletion-queries.ts'

describeOnDatabase('sign-in through another provider', (engine) => {
  const test = setUpUpstreamTest(engine)

  it('leads back to the app that requested the sign-in', async () => {
    const app = await createClient(test.service, { clientName: 'Shelf' })
    const user = newUpstreamUser()
    for (const isNew of [true, false]) {
      const browser = test.newBrowser()
      const { path, verifier } = authorizationRequest(app)
      const { page } = await test.arrive(user, browser, path)
      const consent = isNew ? await browser.submit(page, { name: 'Ryo' }) : page
      if (!/Allow Shelf/.test(consent.text) && isNew) assert.fail(consent.text)
      const allowed = isNew ? await browser.submit(consent, { decision: 'allow' }) : consent
      const code = new URL(allowed.location ?? '').searchParams.get('code')
      assert.ok(code)
      const { body } = await redeem(test.service, app, code, verifier)
      const [, payload = ''] = (body as { id_token: string }).id_token.split('.')
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { amr: string[] }
      assert.deepEqual(claims.amr, ['fed'])
    }
  })

  it('requires the second factor of the account', async () => {
    const { user, account } = await test.signUp()
    const { secret } = generateTotpSecret(user.email)
    const totp = new TOTP({ secret: Secret.fromBase32(secret) })
    const confirmed = await confirmTotp(test.service.db, account.id, {
      secret,
      code: totp.generate({ timestamp: Date.now() - 30_000 }),
      secretKey: undefined,
      language: 'en',
    })
    assert.ok(confirmed)
    const { browser, page } = await test.arrive(user)
    assert.equal(new URL(page.url).pathname, '/sign-in/second-factor')
    assert.ok(!(await test.isSignedIn(browser)))
    const done = await browser.submit(page, { code: totp.generate() })
    assert.equal(new URL(done.url).pathname, '/account')
    const session = await test.service.db
      .selectFrom('sessions')
      .select('payload')
      .where('account_id', '=', account.id)
      .orderBy('created_at', 'desc')
      .executeTakeFirstOrThrow()
    assert.match(session.payload, /\["fed","otp"\]/)
  })

  it('rejects a banned account, and shows the reason', async () => {
    const { user, account } = await test.signUp()
    const browser = test.newBrowser()
    const callback = test.signInAt(await test.start(browser), user)
    await banAccount(test.service.db, account.id, 'spam')
    const refused = await browser.get(callback)
    assert.equal(refused.status, 403)
    assert.match(refused.text, /banned\. \(spam\)/)
    assert.ok(!(await test.isSignedIn(browser)))
  })

  it('asks whether to keep an account that is scheduled for deletion', async () => {
    const { user, account } = await test.signUp()
    await requestDeletion(test.service.db, account.id, { language: 'en' })
    const { page } = await test.arrive(user)
    assert.equal(new URL(page.url).pathname, '/sign-in/keep')
  })

  it('offers to create a new account if the old one was deleted during the sign-in', async () => {
    const { user, account } = await test.signUp()
    const browser = test.newBrowser()
    const callback = test.signInAt(await test.start(browser), user)
    await deleteAccount(test.service.db, account.id)
    const page = await browser.get(callback)
    assert.equal(new URL(page.url).pathname, '/sign-up/with')
  })

  it('accepts a callback only once, and only in the browser that began the sign-in', async () => {
    const { user } = await test.signUp()
    const victim = test.newBrowser()
    const attacker = test.newBrowser()
    const callback = test.signInAt(await test.start(attacker), user)
    await victim.get('/sign-in')
    const stolen = await victim.get(callback)
    assert.equal(stolen.status, 400)
    assert.ok(!(await test.isSignedIn(victim)))
    // The victim may have begun a sign-in too.
    await test.start(victim)
    assert.equal((await victim.get(callback)).status, 400)
    assert.equal((await attacker.get(callback)).status, 200)
    assert.equal((await attacker.get(callback)).status, 400)
  })

  it('rejects an expired flow, a forged state and a repeated state', async () => {
    const { user } = await test.signUp()
    const browser = test.newBrowser()
    const callback = test.signInAt(await test.start(browser), user)
    await test.service.db
      .updateTable('upstream_flows')
      .set({ expires_at: new Date(0) })
      .execute()
    assert.equal((await browser.get(callback)).status, 400)
    for (const state of ['', 'x', 'x'.repeat(43), '%00'])
      assert.ok(
        (await browser.get(`/sign-in/with/club/callback?code=x&state=${state}`)).status >= 400,
      )
    const twice = new URL(test.signInAt(await test.start(browser), user))
    twice.searchParams.append('state', 'x')
    assert.equal((await browser.get(twice.href)).status, 502)
    assert.ok(!(await test.isSignedIn(browser)))
  })

  it('rejects a response from a provider that the user did not choose', async () => {
    const { user } = await test.signUp()
    const browser = test.newBrowser()
    // The user chose the other provider, which sends the code of the club to the callback of either.
    const state =
      new URL((await test.start(browser, '/sign-in', 'other')).location ?? '').searchParams.get(
        'state',
      ) ?? ''
    const honest = new URL(test.signInAt(await test.start(test.newBrowser()), user))
    honest.searchParams.set('state', state)
    assert.equal((await browser.get(honest.href)).status, 400)
    const atOther = new URL(honest)
    atOther.pathname = '/sign-in/with/other/callback'
    assert.equal((await browser.get(atOther.href)).status, 502)
    assert.ok(!(await test.isSignedIn(browser)))
  })

  it('works in two tabs at once', async () => {
    const { user } = await test.signUp()
    const browser = test.newBrowser()
    const first = test.signInAt(await test.start(browser), user)
    const second = test.signInAt(await test.start(browser), user)
    assert.equal((await browser.get(first)).status, 200)
    assert.equal((await browser.get(second)).status, 200)
  })

  it('returns to the sign-in page without an error if the user cancels at the provider', async () => {
    const browser = test.newBrowser()
    const { location = '' } = await test.start(browser)
    const state = new URL(location).searchParams.get('state') ?? ''
    const callback = (issuer: string) =>
      `/sign-in/with/club/callback?${new URLSearchParams({ error: 'access_denied', state, iss: issuer }).toString()}`
    const page = await browser.get(callback(test.club.issuer))
    assert.equal(page.status, 200)
    assert.equal(new URL(page.url).pathname, '/sign-in')
    assert.doesNotMatch(page.text, /role="alert"><p>/)
  })

  it('offers other ways to sign in if the provider is unavailable or returns false claims', async () => {
    const browser = test.newBrowser()
    const started = await test.start(browser)
    test.club.lie({ responses: { '/token': (response) => void response.writeHead(503).end() } })
    const away = await browser.get(test.signInAt(started, newUpstreamUser()))
    assert.equal(away.status, 503)
    assert.match(away.text, /The Club isn’t responding/)
    assert.ok(formWith(away, ['password']))
    test.club.lie({ claims: { nonce: 'wrong' } })
    const lied = await browser.get(test.signInAt(await test.start(browser), newUpstreamUser()))
    assert.equal(lied.status, 502)
    assert.match(lied.text, /Signing in with The Club didn’t work/)
    const line = test.service.logged.find(({ msg }) => msg === 'Sign-in at a provider failed')
    assert.equal(line?.['provider'], 'club')
  })

  it('ignores a destination that is added to the callback URL', async () => {
    const { user } = await test.signUp()
    const browser = test.newBrowser()
    const callback = new URL(test.signInAt(await test.start(browser), user))
    callback.searchParams.set('return', 'https://evil.example')
    callback.searchParams.set('interaction', 'https://evil.example')
    const page = await browser.get(callback.href)
    assert.equal(new URL(page.url).href, `${test.service.url}/account`)
  })

  it('begins only with a form on the service’s own pages', async () => {
    const browser = test.newBrowser()
    await browser.get('/sign-in')
    assert.equal((await browser.post('/sign-in/with/club', {})).status, 403)
    assert.equal((await browser.get('/sign-in/with/club')).status, 404)
    const page = await browser.get('/sign-in')
    const form = { ...formTo(page, '/sign-in/with/club'), action: '/sign-in/with/unknown' }
    assert.equal((await browser.submit(page, {}, form)).status, 404)
  })
})
