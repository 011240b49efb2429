import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import { fillForm } from '#test/account-pages.ts'
import { createUser, signedInBrowser, submitSignIn, type TestUser } from '#test/authorization.ts'
import { formWith, PlainBrowser, type Visit } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { confirmTotp } from '../../accounts/credentials/second-factor.ts'
import { generateTotpSecret } from '../../accounts/credentials/totp.ts'
import { saveConsent } from '../provider/storage/consent-queries.ts'
import { changePassword } from '../../accounts/credentials/password-queries.ts'

describeOnDatabase('the account pages', (engine) => {
  let service: TestService
  before(async () => {
    service = await shareService(engine)
  })
  after(() => service.close())

  const pathOf = ({ url }: Visit) => new URL(url).pathname

  /** Creates a user with an authenticator app, and a function that returns unused codes. */
  async function createUserWithAuthenticator(existing?: TestUser) {
    const user = existing ?? (await createUser(service, 'Aki'))
    const { secret } = generateTotpSecret(user.email)
    const totp = new TOTP({ secret: Secret.fromBase32(secret) })
    // Uses the previous time step, so that the current code stays unused.
    const now = Date.now() - 30_000
    const code = totp.generate({ timestamp: now })
    const change = { secret, code, secretKey: undefined, now, language: 'en' } as const
    const codes = await confirmTotp(service.db, user.id, change)
    assert.ok(codes)
    return { user, codes, code: () => totp.generate() }
  }

  it('list each permission of an app once, by group, and show when the app’s access ends', async () => {
    const user = await createUser(service)
    const app = await service.createApp({
      clientName: 'Shelf',
      scopes: ['status:read', 'status:write'],
    })
    const scopes = [
      'openid',
      'profile',
      'user:read',
      'status:read',
      'status:write',
      'offline_access',
    ]
    await saveConsent(service.db, user.id, app.clientId, scopes)
    const browser = await signedInBrowser(service, user)
    const { text } = await browser.get('/account/apps')
    assert.match(
      text,
      /<h4>Profile<\/h4>.*<h4>Ratings<\/h4>.*See and change your ratings.*can change/s,
    )
    assert.doesNotMatch(
      text,
      /See your ratings|See your name and picture/,
      'what another of them holds',
    )
    const until = new Date(Date.now() + 180 * 86_400_000)
    assert.match(
      text,
      new RegExp(
        `Access lasts until [^<]*${until.getUTCFullYear()}\\. It ends earlier if the app doesn’t use it for 30 days`,
      ),
    )
  })

  it('show the state of the account on the overview, and all link to each other', async () => {
    const user = await createUser(service, 'Aki')
    const browser = new PlainBrowser(service.url)
    browser.headers['user-agent'] =
      'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
    const { text } = await submitSignIn(browser, user)
    assert.match(text, /Only this browser is signed in/)
    assert.match(text, /No app has access/)
    assert.match(text, /Two-step sign-in is off\..*No passkey\./s)
    assert.match(
      text,
      /Last sign-in<\/dt><dd><time datetime="[^"]+" data-local>.*Firefox on Linux · this machine/s,
    )
    assert.doesNotMatch(text, /Previous sign-in/)
    for (const path of ['/account', '/account/security', '/account/security/passkeys']) {
      const page = await browser.get(path)
      const current = /<a href="([^"]+)" aria-current="(page|true)"/.exec(
        page.text.slice(page.text.indexOf('account-nav')),
      )
      assert.equal(current?.[1], path.startsWith('/account/security') ? '/account/security' : path)
    }
    await signedInBrowser(service, user)
    const later = await browser.get('/account')
    assert.match(later.text, /Signed in on 2 browsers/)
    assert.match(later.text, /Previous sign-in/)
  })

  it('store the language, time zone and spoiler preference, and format times accordingly', async () => {
    const user = await createUser(service, 'Aki')
    const browser = await signedInBrowser(service, user)
    const saved = await fillForm(browser, '/account/preferences', {
      language: 'ja',
      time_zone: 'Asia/Tokyo',
      spoilers: 'yes',
    })
    assert.match(saved.text, /<html lang="ja"/)
    assert.match(saved.text, /<option value="Asia\/Tokyo" selected>/)
    const start = await browser.get('/account')
    assert.match(start.text, /<time datetime="[^"]+">[^<]* (JST|GMT\+9)</)
    // Sign in with another browser.
    const other = new PlainBrowser(service.url)
    assert.match((await submitSignIn(other, user)).text, /<html lang="ja"/)
    const wrong = await fillForm(browser, '/account/preferences', {
      time_zone: 'Mars/Base',
      language: 'tlh',
    })
    assert.equal(wrong.status, 422)
    for (const name of ['language', 'time_zone'])
      assert.match(wrong.text, new RegExp(`<select [^>]*name="${name}" aria-invalid="true"`), name)
    const unchangedPage = await browser.get('/account/preferences')
    assert.match(unchangedPage.text, /<option value="Asia\/Tokyo" selected>/)
  })

  it('trust only the browser in which the code was entered, for thirty days', async () => {
    const { user, code } = await createUserWithAuthenticator()
    const browser = new PlainBrowser(service.url)
    const step = await submitSignIn(browser, user)
    assert.equal(pathOf(step), '/sign-in/second-factor')
    assert.match(step.text, /inputmode="numeric"/)
    assert.equal(
      pathOf(await browser.submit(step, { code: code(), trust: 'yes' }, formWith(step, ['code']))),
      '/account',
    )
    assert.match((await browser.get('/account/sessions')).text, /Trusted browsers/)
    await fillForm(browser, '/account', {}, '/account/sign-out')
    assert.equal(pathOf(await submitSignIn(browser, user)), '/account', 'by the password alone')
    assert.equal(
      pathOf(await submitSignIn(new PlainBrowser(service.url), user)),
      '/sign-in/second-factor',
    )

    // The cookie of one account does not work for another, and neither does a forged one.
    const otherUser = await createUserWithAuthenticator()
    const attacker = new PlainBrowser(service.url)
    const cookie = Object.entries(browser.cookies('/sign-in')).find(([name]) =>
      name.includes('trusted'),
    )
    assert.ok(cookie)
    attacker.setCookie(...cookie)
    assert.equal(pathOf(await submitSignIn(attacker, otherUser.user)), '/sign-in/second-factor')
    attacker.setCookie(cookie[0], `${'a'.repeat(43)}.${'b'.repeat(43)}`)
    assert.equal(pathOf(await submitSignIn(attacker, user)), '/sign-in/second-factor')

    const page = await browser.get('/account/sessions')
    const form = page.forms.find(({ action }) => action === '/account/sessions/distrust')
    const otherBrowser = new PlainBrowser(service.url)
    const lastStep = await submitSignIn(otherBrowser, otherUser.user)
    await otherBrowser.submit(lastStep, { code: otherUser.code() })
    const otherAccountPage = await otherBrowser.get('/account')
    const csrf =
      otherAccountPage.forms.find(({ action }) => action === '/account/sign-out')?.fields[
        '_csrf'
      ] ?? ''
    await otherBrowser.post('/account/sessions/distrust', {
      _csrf: csrf,
      browser: form?.fields['browser'] ?? '',
    })
    assert.match(
      (await browser.get('/account/sessions')).text,
      /Trusted browsers/,
      'not by a stranger',
    )
    assert.match((await browser.submit(page, {}, form)).text, /ask for the code again/)
    await fillForm(browser, '/account', {}, '/account/sign-out')
    assert.equal(pathOf(await submitSignIn(browser, user)), '/sign-in/second-factor')
  })

  it('trust no browser after a password change or after the trust expires', async () => {
    for (const end of ['password', 'time'] as const) {
      const { user, code } = await createUserWithAuthenticator()
      const browser = new PlainBrowser(service.url)
      const step = await submitSignIn(browser, user)
      await browser.submit(step, { code: code(), trust: 'yes' }, formWith(step, ['code']))
      await fillForm(browser, '/account', {}, '/account/sign-out')
      const password = 'another of many words'
      if (end === 'password') await changePassword(service.db, user.id, password)
      else
        await sql`update trusted_browsers set expires_at = now() where account_id = ${user.id}`.execute(
          service.db,
        )
      const repeated = await submitSignIn(
        browser,
        end === 'password' ? { ...user, password } : user,
      )
      assert.equal(pathOf(repeated), '/sign-in/second-factor', end)
    }
  })

  it('offer recovery codes to users without their phone, and let them switch accounts', async () => {
    const { user, codes } = await createUserWithAuthenticator()
    const browser = new PlainBrowser(service.url)
    const step = await submitSignIn(browser, user)
    assert.match(step.text, /I’ve lost my phone/)
    assert.match(step.text, /Contact: <a href="mailto:mokuroku@localhost">mokuroku@localhost<\/a>/)
    assert.match(step.text, /href="\/sign-in">Use another account/)
    const wrong = await browser.submit(step, { recovery_code: 'none-of-them' })
    assert.equal(wrong.status, 422)
    assert.match(wrong.text, /<details class="lost panel" open>.*isn’t one of your recovery codes/s)
    const inside = await browser.submit(
      wrong,
      { recovery_code: codes[0] ?? '', trust: 'yes' },
      formWith(wrong, ['recovery_code']),
    )
    assert.equal(pathOf(inside), '/account')
    assert.doesNotMatch(
      (await browser.get('/account/sessions')).text,
      /Trusted browsers/,
      'by no code on paper',
    )
  })

  it('show the sign-out confirmation only in a browser that is signed out', async () => {
    const user = await createUser(service, 'Aki')
    const browser = await signedInBrowser(service, user)
    assert.equal(pathOf(await browser.get('/signed-out')), '/account')
    const out = await fillForm(browser, '/account', {}, '/account/sign-out')
    assert.equal(pathOf(out), '/signed-out')
    assert.match(out.text, /You’ve signed out in this browser/)
  })
})
