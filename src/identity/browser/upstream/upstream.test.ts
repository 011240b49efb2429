import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { accountFlows } from '#test/account-flows.ts'
import { accountPages, fillForm, formTo } from '#test/account-pages.ts'
import { addAccount, ageSignIns } from '#test/accounts.ts'
import { authorizationRequest, createClient, redeem } from '#test/authorization.ts'
import { formWith, type PlainBrowser, type Visit } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import {
  startForgedProvider,
  type ForgedProvider,
  type ProviderUser,
} from '#test/forged-provider.ts'
import { startService, type TestService } from '#test/service.ts'
import { banAccount } from '../../../accounts/ban-queries.ts'
import { confirmTotp } from '../../../accounts/credentials/second-factor.ts'
import { generateTotpSecret } from '../../../accounts/credentials/totp.ts'
import { deleteAccount, requestDeletion } from '../../../accounts/deletion-queries.ts'
import { exportAccount } from '../../../accounts/profile/export.ts'

const PROVIDERS = '/account/security/providers'
const PASSWORD = 'a long enough one'

let users = 0
type User = ProviderUser & { email: string }

const newUser = (more: Partial<User> = {}): User => {
  users += 1
  const name = `user-${users}`
  return { sub: name, email: `${name}@example.org`, email_verified: true, name, ...more }
}

describeOnDatabase('sign-in through another provider', (engine) => {
  let club: ForgedProvider
  let other: ForgedProvider
  let service: TestService
  before(async () => {
    ;[club, other] = await Promise.all([startForgedProvider(), startForgedProvider()])
    service = await startService({
      engine,
      environment: {
        UPSTREAM_PROVIDERS: 'club,other',
        ...club.settings('club', 'The Club'),
        ...other.settings('other'),
      },
    })
  })
  after(async () => {
    await service?.close()
    await club?.close()
    await other?.close()
  })
  beforeEach(async () => {
    club.lie({})
    await service.db.deleteFrom('attempts').execute()
  })

  const flows = accountFlows(() => service)
  const { newBrowser, accountOf, eventsOf, sessionsOf, isSignedIn, nextLink, mailsTo } = flows

  /** Presses the button of a provider. @returns the visit that ends with the redirect to it */
  async function start(browser: PlainBrowser, path = '/sign-in', provider = 'club') {
    const page = await browser.get(path)
    const form = page.forms.find(({ action }) => action.startsWith(`/sign-in/with/${provider}`))
    assert.ok(form, `no button for ${provider} in:\n${page.text}`)
    return browser.submit(page, {}, form)
  }

  /** Follows the redirect to the provider, and signs in there. @returns the URL of the callback */
  const signInAt = (visit: Visit, user: ProviderUser, provider = club) => {
    const { location = '' } = visit
    assert.ok(location.startsWith(provider.issuer), `${visit.status} ${visit.text}`)
    return provider.signIn(location, user)
  }

  /** Signs in through the club in a browser. */
  const arrive = async (user: ProviderUser, browser = newBrowser(), path = '/sign-in') => {
    const callback = signInAt(await start(browser, path), user)
    return { browser, callback, page: await browser.get(callback) }
  }

  /** Creates an account through the club. */
  async function signUp(user = newUser(), path?: string) {
    const { browser, page } = await arrive(user, newBrowser(), path)
    const done = await browser.submit(page, { name: user.name ?? 'Ryo' })
    const account = await accountOf(user.email)
    assert.ok(account, done.text)
    return { browser, user, done, account }
  }

  const identitiesOf = (accountId: number) =>
    service.db
      .selectFrom('upstream_identities')
      .select(['issuer', 'subject'])
      .where('account_id', '=', accountId)
      .execute()

  /** Makes the address one that was confirmed by email. */
  const confirmAddress = (accountId: number) =>
    service.db
      .updateTable('upstream_identities')
      .set({ vouches_for_email: false })
      .where('account_id', '=', accountId)
      .execute()

  const addUser = async (email = newUser().email) => ({
    email,
    id: await addAccount(service.db, { email, name: 'Ryo', password: PASSWORD }),
  })

  const signInWithPassword = async (email: string) =>
    (await flows.signIn({ email, password: PASSWORD })).browser

  /** Connects the club on the account page. */
  async function connect(
    browser: PlainBrowser,
    user: ProviderUser,
    fields: Record<string, string>,
  ) {
    const path = `${PROVIDERS}/change?issuer=${encodeURIComponent(club.issuer)}`
    const visit = await fillForm(browser, path, fields, `${PROVIDERS}/connect`)
    return visit.location === undefined ? visit : browser.get(signInAt(visit, user))
  }

  const disconnect = (browser: PlainBrowser, fields: Record<string, string> = {}) =>
    fillForm(
      browser,
      `${PROVIDERS}/change?issuer=${encodeURIComponent(club.issuer)}`,
      fields,
      `${PROVIDERS}/disconnect`,
    )

  it('creates an account with an address that the provider has verified', async () => {
    const user = newUser()
    const { browser, page } = await arrive(user)
    assert.match(page.text, /The Club has verified/)
    assert.equal(formWith(page, ['email']).fields['email'], user.email)
    assert.equal(await accountOf(user.email), undefined)
    const done = await browser.submit(page, { name: 'Ryo' })
    assert.equal(new URL(done.url).pathname, '/account/welcome')
    const account = await accountOf(user.email)
    assert.ok(account?.email_verified_at)
    assert.equal(account.name, 'Ryo')
    assert.equal(account.password_hash, null)
    assert.deepEqual(await eventsOf(account.id), ['sign_up', 'sign_in'])
    assert.ok(await isSignedIn(browser))
    const rows = await service.db.selectFrom('upstream_flows').select('provider').execute()
    assert.deepEqual(rows, [])
  })

  it('signs in to the connected account, whatever address the provider reports later', async () => {
    const { user, account } = await signUp()
    const { browser, page } = await arrive({ ...user, email: 'changed@example.org' })
    assert.equal(new URL(page.url).pathname, '/account')
    assert.ok(await isSignedIn(browser))
    assert.equal((await sessionsOf(account.id)).length, 2)
  })

  it('sends a confirmation link to an address that the provider has not verified', async () => {
    const user = newUser({ email_verified: false })
    const { browser, page } = await arrive(user)
    const sent = await browser.submit(page, { name: 'Ryo' })
    assert.match(sent.text, /Check your email/)
    assert.equal(await accountOf(user.email), undefined)
    const link = await nextLink(user.email)
    const elsewhere = newBrowser()
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
    assert.equal(await accountOf(user.email), undefined)
    await browser.submit(confirm)
    const account = await accountOf(user.email)
    assert.ok(account?.email_verified_at)
    assert.ok(await isSignedIn(browser))
    assert.equal((await identitiesOf(account.id)).length, 1)
  })

  it('sends a confirmation link to an address that differs from the one the provider verified', async () => {
    const user = newUser()
    const { browser, page } = await arrive(user)
    const own = newUser().email
    const sent = await browser.submit(page, { name: 'Ryo', email: own })
    assert.match(sent.text, /Check your email/)
    await browser.submit(await browser.get(await nextLink(own)))
    assert.ok(await accountOf(own))
    assert.equal(await accountOf(user.email), undefined)
  })

  it('validates the form and keeps what was entered', async () => {
    const { browser, page } = await arrive(newUser())
    const refused = await browser.submit(page, { name: '', email: 'nonsense' })
    assert.equal(refused.status, 422)
    assert.equal(formWith(refused, ['email']).fields['email'], 'nonsense')
  })

  it('never connects an account because of its address alone, even if the provider has verified it', async () => {
    const { id, email } = await addUser()
    const { browser, page } = await arrive(newUser({ email }))
    const refused = await browser.submit(page, { name: 'Eve' })
    assert.equal(refused.status, 409)
    assert.match(refused.text, /already has an account/)
    assert.ok(!(await isSignedIn(browser)))
    assert.deepEqual(await identitiesOf(id), [])
    // The page still offers the other choices.
    assert.equal((await browser.get(page.url)).status, 200)
    const signInPage = await browser.submit(refused, { decision: 'connect' })
    const confirm = await browser.submit(signInPage, { email, password: PASSWORD })
    assert.equal(new URL(confirm.url).pathname, `${PROVIDERS}/confirm`)
    assert.equal(confirm.status, 200)
  })

  it('connects an existing account after its owner has signed in to it', async () => {
    const { id, email } = await addUser()
    const user = newUser({ email })
    const { browser, page } = await arrive(user)
    const signInPage = await browser.submit(page, { decision: 'connect' })
    assert.match(signInPage.text, /account you want to connect/)
    const confirm = await browser.submit(signInPage, { email, password: PASSWORD })
    assert.equal(new URL(confirm.url).pathname, `${PROVIDERS}/confirm`)
    assert.deepEqual(await identitiesOf(id), [])
    const done = await browser.submit(
      confirm,
      {},
      formTo(confirm, `${PROVIDERS}/confirm${new URL(confirm.url).search}`),
    )
    assert.match(done.text, /Sign-in provider connected/)
    assert.deepEqual(await identitiesOf(id), [{ issuer: club.issuer, subject: user.sub }])
    assert.ok((await eventsOf(id)).includes('provider_connected'))
    await flows.allSent()
    assert.ok(mailsTo(email).some(({ subject }) => /sign-in methods/.test(subject)))
    const again = await arrive(user)
    assert.equal(new URL(again.page.url).pathname, '/account')
  })

  it('asks for a recent sign-in before connecting, even if the browser already has a session', async () => {
    const { id, email } = await addUser()
    const browser = await signInWithPassword(email)
    // The session is older than the flow.
    await ageSignIns(service.db, id)
    const started = await start(browser, '/sign-in?again=yes')
    const page = await browser.get(signInAt(started, newUser()))
    const token = new URL(page.url).searchParams.get('flow')
    const confirm = await browser.get(`${PROVIDERS}/confirm?flow=${token}`)
    assert.equal(new URL(confirm.url).pathname, '/sign-in')
    assert.deepEqual(await identitiesOf(id), [])
  })

  it('leads back to the app that requested the sign-in', async () => {
    const app = await createClient(service, { clientName: 'Shelf' })
    const user = newUser()
    for (const isNew of [true, false]) {
      const browser = newBrowser()
      const { path, verifier } = authorizationRequest(app)
      const { page } = await arrive(user, browser, path)
      const consent = isNew ? await browser.submit(page, { name: 'Ryo' }) : page
      if (!/Allow Shelf/.test(consent.text) && isNew) assert.fail(consent.text)
      const allowed = isNew ? await browser.submit(consent, { decision: 'allow' }) : consent
      const code = new URL(allowed.location ?? '').searchParams.get('code')
      assert.ok(code)
      const { body } = await redeem(service, app, code, verifier)
      const [, payload = ''] = (body as { id_token: string }).id_token.split('.')
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { amr: string[] }
      assert.deepEqual(claims.amr, ['fed'])
    }
  })

  it('requires the second factor of the account', async () => {
    const { user, account } = await signUp()
    const { secret } = generateTotpSecret(user.email)
    const totp = new TOTP({ secret: Secret.fromBase32(secret) })
    const confirmed = await confirmTotp(service.db, account.id, {
      secret,
      code: totp.generate({ timestamp: Date.now() - 30_000 }),
      secretKey: undefined,
      language: 'en',
    })
    assert.ok(confirmed)
    const { browser, page } = await arrive(user)
    assert.equal(new URL(page.url).pathname, '/sign-in/second-factor')
    assert.ok(!(await isSignedIn(browser)))
    const done = await browser.submit(page, { code: totp.generate() })
    assert.equal(new URL(done.url).pathname, '/account')
    const session = await service.db
      .selectFrom('sessions')
      .select('payload')
      .where('account_id', '=', account.id)
      .orderBy('created_at', 'desc')
      .executeTakeFirstOrThrow()
    assert.match(session.payload, /\["fed","otp"\]/)
  })

  it('rejects a banned account, and shows the reason', async () => {
    const { user, account } = await signUp()
    const browser = newBrowser()
    const callback = signInAt(await start(browser), user)
    await banAccount(service.db, account.id, 'spam')
    const refused = await browser.get(callback)
    assert.equal(refused.status, 403)
    assert.match(refused.text, /banned\. \(spam\)/)
    assert.ok(!(await isSignedIn(browser)))
  })

  it('asks whether to keep an account that is scheduled for deletion', async () => {
    const { user, account } = await signUp()
    await requestDeletion(service.db, account.id, { language: 'en' })
    const { page } = await arrive(user)
    assert.equal(new URL(page.url).pathname, '/sign-in/keep')
  })

  it('offers to create a new account if the old one was deleted during the sign-in', async () => {
    const { user, account } = await signUp()
    const browser = newBrowser()
    const callback = signInAt(await start(browser), user)
    await deleteAccount(service.db, account.id)
    const page = await browser.get(callback)
    assert.equal(new URL(page.url).pathname, '/sign-up/with')
  })

  it('accepts a callback only once, and only in the browser that began the sign-in', async () => {
    const { user } = await signUp()
    const victim = newBrowser()
    const attacker = newBrowser()
    const callback = signInAt(await start(attacker), user)
    await victim.get('/sign-in')
    const stolen = await victim.get(callback)
    assert.equal(stolen.status, 400)
    assert.ok(!(await isSignedIn(victim)))
    // The victim may have begun a sign-in too.
    await start(victim)
    assert.equal((await victim.get(callback)).status, 400)
    assert.equal((await attacker.get(callback)).status, 200)
    assert.equal((await attacker.get(callback)).status, 400)
  })

  it('rejects an expired flow, a forged state and a repeated state', async () => {
    const { user } = await signUp()
    const browser = newBrowser()
    const callback = signInAt(await start(browser), user)
    await service.db
      .updateTable('upstream_flows')
      .set({ expires_at: new Date(0) })
      .execute()
    assert.equal((await browser.get(callback)).status, 400)
    for (const state of ['', 'x', 'x'.repeat(43), '%00'])
      assert.ok(
        (await browser.get(`/sign-in/with/club/callback?code=x&state=${state}`)).status >= 400,
      )
    const twice = new URL(signInAt(await start(browser), user))
    twice.searchParams.append('state', 'x')
    assert.equal((await browser.get(twice.href)).status, 502)
    assert.ok(!(await isSignedIn(browser)))
  })

  it('rejects a response from a provider that the user did not choose', async () => {
    const { user } = await signUp()
    const browser = newBrowser()
    // The user chose the other provider, which sends the code of the club to the callback of either.
    const state =
      new URL((await start(browser, '/sign-in', 'other')).location ?? '').searchParams.get(
        'state',
      ) ?? ''
    const honest = new URL(signInAt(await start(newBrowser()), user))
    honest.searchParams.set('state', state)
    assert.equal((await browser.get(honest.href)).status, 400)
    const atOther = new URL(honest)
    atOther.pathname = '/sign-in/with/other/callback'
    assert.equal((await browser.get(atOther.href)).status, 502)
    assert.ok(!(await isSignedIn(browser)))
  })

  it('works in two tabs at once', async () => {
    const { user } = await signUp()
    const browser = newBrowser()
    const first = signInAt(await start(browser), user)
    const second = signInAt(await start(browser), user)
    assert.equal((await browser.get(first)).status, 200)
    assert.equal((await browser.get(second)).status, 200)
  })

  it('returns to the sign-in page without an error if the user cancels at the provider', async () => {
    const browser = newBrowser()
    const { location = '' } = await start(browser)
    const state = new URL(location).searchParams.get('state') ?? ''
    const callback = (issuer: string) =>
      `/sign-in/with/club/callback?${new URLSearchParams({ error: 'access_denied', state, iss: issuer }).toString()}`
    const page = await browser.get(callback(club.issuer))
    assert.equal(page.status, 200)
    assert.equal(new URL(page.url).pathname, '/sign-in')
    assert.doesNotMatch(page.text, /role="alert"><p>/)
  })

  it('offers other ways to sign in if the provider is unavailable or returns false claims', async () => {
    const browser = newBrowser()
    const started = await start(browser)
    club.lie({ responses: { '/token': (response) => void response.writeHead(503).end() } })
    const away = await browser.get(signInAt(started, newUser()))
    assert.equal(away.status, 503)
    assert.match(away.text, /The Club isn’t responding/)
    assert.ok(formWith(away, ['password']))
    club.lie({ claims: { nonce: 'wrong' } })
    const lied = await browser.get(signInAt(await start(browser), newUser()))
    assert.equal(lied.status, 502)
    assert.match(lied.text, /Signing in with The Club didn’t work/)
    const line = service.logged.find(({ msg }) => msg === 'Sign-in at a provider failed')
    assert.equal(line?.['provider'], 'club')
  })

  it('ignores a destination that is added to the callback URL', async () => {
    const { user } = await signUp()
    const browser = newBrowser()
    const callback = new URL(signInAt(await start(browser), user))
    callback.searchParams.set('return', 'https://evil.example')
    callback.searchParams.set('interaction', 'https://evil.example')
    const page = await browser.get(callback.href)
    assert.equal(new URL(page.url).href, `${service.url}/account`)
  })

  it('begins only with a form on the service’s own pages', async () => {
    const browser = newBrowser()
    await browser.get('/sign-in')
    assert.equal((await browser.post('/sign-in/with/club', {})).status, 403)
    assert.equal((await browser.get('/sign-in/with/club')).status, 404)
    const page = await browser.get('/sign-in')
    const form = { ...formTo(page, '/sign-in/with/club'), action: '/sign-in/with/unknown' }
    assert.equal((await browser.submit(page, {}, form)).status, 404)
  })

  it('creates one account if the form is sent several times at once', async () => {
    const user = newUser()
    const { browser, page } = await arrive(user)
    const visits = await Promise.all(
      Array.from({ length: 5 }, () => browser.submit(page, { name: 'Ryo' })),
    )
    assert.ok(
      visits.every(({ status }) => status === 200 || status === 410),
      visits.map(({ status }) => status).join(),
    )
    const accounts = await service.db
      .selectFrom('upstream_identities')
      .select('account_id')
      .where('subject', '=', user.sub)
      .execute()
    assert.equal(accounts.length, 1)
    assert.equal(
      (
        await service.db
          .selectFrom('accounts')
          .select('id')
          .where('email', '=', user.email)
          .execute()
      ).length,
      1,
    )
  })

  it('creates one account if two browsers finish at once with different addresses', async () => {
    const user = newUser()
    const tabs = await Promise.all([arrive(user), arrive({ ...user, email: newUser().email })])
    const visits = await Promise.all(
      tabs.map(({ browser, page }) => browser.submit(page, { name: 'Ryo' })),
    )
    assert.ok(visits.every(({ status }) => status === 200))
    const accounts = await service.db
      .selectFrom('accounts')
      .innerJoin('upstream_identities', 'upstream_identities.account_id', 'accounts.id')
      .select('accounts.email')
      .where('subject', '=', user.sub)
      .execute()
    assert.equal(accounts.length, 1)
  })

  it('shows the form for a new account only in the browser that began the sign-in', async () => {
    const { page } = await arrive(newUser())
    assert.equal((await newBrowser().get(page.url)).status, 410)
  })

  it('connects and disconnects a provider on the account page, which requires the password', async () => {
    const { id, email } = await addUser()
    const browser = await signInWithPassword(email)
    assert.match((await browser.get('/account/security')).text, /Sign-in providers/)
    const user = newUser()
    const refused = await connect(browser, user, { current_password: 'wrong one' })
    assert.equal(refused.status, 422)
    const done = await connect(browser, user, { current_password: PASSWORD })
    assert.match(done.text, /Sign-in provider connected/)
    assert.match(done.text, new RegExp(user.email))
    assert.deepEqual(await identitiesOf(id), [{ issuer: club.issuer, subject: user.sub }])
    const data = await exportAccount(service.db, id)
    assert.deepEqual(
      data?.upstream_identities.map(({ subject }) => subject),
      [user.sub],
    )
    const gone = await disconnect(browser, { current_password: PASSWORD })
    assert.match(gone.text, /Sign-in provider disconnected/)
    assert.deepEqual(await identitiesOf(id), [])
    assert.deepEqual((await eventsOf(id)).slice(-2), [
      'provider_connected',
      'provider_disconnected',
    ])
  })

  it('refuses to connect an identity that is connected to another account', async () => {
    const { user } = await signUp()
    const { id, email } = await addUser()
    const browser = await signInWithPassword(email)
    const refused = await connect(browser, user, { current_password: PASSWORD })
    assert.equal(refused.status, 409)
    assert.deepEqual(await identitiesOf(id), [])
  })

  it('connects no provider after the session has ended', async () => {
    const { id, email } = await addUser()
    const browser = await signInWithPassword(email)
    const path = `${PROVIDERS}/change?issuer=${encodeURIComponent(club.issuer)}`
    const visit = await fillForm(
      browser,
      path,
      { current_password: PASSWORD },
      `${PROVIDERS}/connect`,
    )
    await service.db.deleteFrom('sessions').where('account_id', '=', id).execute()
    const page = await browser.get(signInAt(visit, newUser()))
    assert.equal(new URL(page.url).pathname, '/sign-in')
    assert.deepEqual(await identitiesOf(id), [])
  })

  it('does not disconnect the provider if it is the only way to sign in', async () => {
    const { browser, account } = await signUp()
    const refused = await disconnect(browser)
    assert.equal(refused.status, 409)
    assert.match(refused.text, /only way to sign in/)
    assert.equal((await identitiesOf(account.id)).length, 1)
    await fillForm(browser, '/account/password', { password: 'a new long password' })
    await confirmAddress(account.id)
    assert.match(
      (await disconnect(browser, { current_password: 'a new long password' })).text,
      /disconnected/,
    )
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
    const connected = await connect(owner, newUser(), { current_password: PASSWORD })
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
    const refused = await browser.submit(
      stale,
      { password: 'a new long password' },
      formTo(stale, '/account/password'),
    )
    assert.equal(refused.status, 403)
    assert.equal((await accountOf(user.email))?.password_hash, null)
    browser.headers = { ...browser.headers, referer: `${service.url}/account/password` }
    const signInPage = await browser.get('/sign-in/again')
    const started = await browser.submit(signInPage, {}, formTo(signInPage, '/sign-in/with/club'))
    const back = await browser.get(signInAt(started, user))
    assert.equal(new URL(back.url).pathname, '/account/password')
    const done = await browser.submit(
      back,
      { password: 'a new long password' },
      formTo(back, '/account/password'),
    )
    assert.match(done.text, /Password changed/)
    assert.match((await browser.get('/account/delete')).text, /current_password/)
  })

  it('rejects every password for an account that has none', async () => {
    const { user } = await signUp()
    for (const password of ['', 'null', 'a long enough one']) {
      const { visit } = await flows.signIn({ email: user.email, password })
      assert.equal(visit.status, 422)
    }
  })

  it('disconnects a provider at a password reset if only the provider had verified the address', async () => {
    const { user, account } = await signUp()
    const browser = newBrowser()
    await flows.askReset(browser, user.email)
    const form = await browser.get(await nextLink(user.email))
    await browser.submit(form, { password: 'a new long password' })
    assert.deepEqual(await identitiesOf(account.id), [])
    assert.equal(new URL((await arrive(user)).page.url).pathname, '/sign-up/with')
  })

  it('removes every other sign-in method at a password reset if only a provider had verified the address', async () => {
    const { browser: attacker, user, account } = await signUp()
    const pages = accountPages(service)
    await pages.addPasskey(account.id)
    const added = await fillForm(
      attacker,
      `${PROVIDERS}/change?issuer=${encodeURIComponent(other.issuer)}`,
      {},
      `${PROVIDERS}/connect`,
    )
    await attacker.get(signInAt(added, newUser(), other))
    await fillForm(attacker, '/account/password', { password: PASSWORD })
    assert.equal((await identitiesOf(account.id)).length, 2)
    // Otherwise, connecting the provider again would hide that it alone had verified the address.
    const refused = await disconnect(attacker, { current_password: PASSWORD })
    assert.equal(refused.status, 409)
    assert.match(refused.text, /reset your password/)
    const owner = newBrowser()
    await flows.askReset(owner, user.email)
    const form = await owner.get(await nextLink(user.email))
    await owner.submit(form, { password: 'a new long password' })
    assert.deepEqual(await identitiesOf(account.id), [])
    const passkeys = service.db.selectFrom('passkeys').select('name')
    assert.deepEqual(await passkeys.where('account_id', '=', account.id).execute(), [])
  })

  it('disconnects a provider if the owner restores an address that only the provider had verified', async () => {
    const { browser: attacker, user, account } = await signUp()
    const { email } = newUser()
    await fillForm(attacker, '/account/email', { email })
    const path = '/account/email/confirm'
    const confirm = await attacker.get(await nextLink(email))
    await attacker.submit(confirm, {}, formTo(confirm, path))
    await flows.allSent()
    const text = mailsTo(user.email).findLast(({ text: sent }) => sent.includes('/not-me'))?.text
    const owner = newBrowser()
    await owner.submit(await owner.get(/http\S+\/not-me\S+/.exec(text ?? '')?.[0] ?? ''))
    assert.equal((await accountOf(user.email))?.id, account.id)
    assert.deepEqual(await identitiesOf(account.id), [])
  })

  it('keeps a provider after a password reset if the address was confirmed by email', async () => {
    const user = newUser({ email_verified: false })
    const { browser, page } = await arrive(user)
    await browser.submit(page, { name: 'Ryo' })
    await browser.submit(await browser.get(await nextLink(user.email)))
    const account = await accountOf(user.email)
    assert.ok(account)
    await flows.askReset(browser, user.email)
    await browser.submit(await browser.get(await nextLink(user.email, 2)), {
      password: 'a new long password',
    })
    assert.equal((await identitiesOf(account.id)).length, 1)
  })

  it('disconnects a provider if the owner reports that someone else connected it', async () => {
    const { id, email } = await addUser()
    const browser = await signInWithPassword(email)
    await connect(browser, newUser(), { current_password: PASSWORD })
    await flows.allSent()
    const text =
      mailsTo(email).findLast(({ subject }) => /sign-in methods/.test(subject))?.text ?? ''
    const owner = newBrowser()
    const page = await owner.get(/http\S+\/not-me\S+/.exec(text)?.[0] ?? '')
    assert.match(page.text, /The sign-in provider/)
    await owner.submit(page)
    assert.deepEqual(await identitiesOf(id), [])
  })
})
