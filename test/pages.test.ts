import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { findFaultsOfBothLooks } from '#test/axe.ts'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { startTotp } from '../src/accounts/credentials/totp.ts'
import { confirmTotp } from '../src/accounts/credentials/second-factor.ts'
import { TOTP } from 'otpauth'
import {
  authorizationRequest,
  basic,
  createClient,
  createReader,
  postToProvider,
} from '#test/authorization.ts'
import { chromiumMissing, startCallback, startChromium } from '#test/chromium.ts'
import { linkTo } from '#test/mailbox.ts'
import { startService, type TestApp, type TestService } from '#test/service.ts'
import { freePort } from '#test/postgres.ts'

describe('the pages in a real browser', { skip: chromiumMissing() }, () => {
  let service: TestService
  let browser: Browser
  let callback: Awaited<ReturnType<typeof startCallback>>
  let app: TestApp
  before(async () => {
    // Passkeys belong to a name, not to an address.
    const port = String(await freePort())
    service = await startService({ environment: { PORT: port, AUTH_URL: `http://localhost:${port}` } })
    callback = await startCallback()
    app = await createClient(service, {
      applicationType: 'native',
      clientName: 'A library',
      redirectUris: [callback.url],
      clientUri: 'https://library.example',
    })
    browser = await startChromium()
  })
  after(async () => {
    await browser?.close()
    await callback?.close()
    await service?.close()
  })

  const request = (parameters: Record<string, string | undefined> = {}) =>
    service.config.authUrl + authorizationRequest(app, { redirect_uri: callback.url, ...parameters }).path

  async function signIn(page: Page, { email, password }: { email: string; password: string }) {
    await page.fill('[name=email]', email)
    await page.fill('[name=password]', password)
    await page.click('form:has([name=password]) button')
  }

  for (const javaScriptEnabled of [true, false])
    it(`take somebody through sign-in and consent ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
      const reader = await createReader(service, 'Ann')
      const context = await browser.newContext({ javaScriptEnabled })
      const page = await context.newPage()
      await page.goto(request({ scope: 'openid profile status:write' }))
      await signIn(page, { ...reader, password: 'not this one' })
      assert.equal(await page.locator('[role=alert]:visible').count(), 1)
      assert.equal(await page.inputValue('[name=email]'), reader.email)
      await signIn(page, reader)
      assert.match(await page.locator('h1').innerText(), /A library/)
      await page.click('[name=decision][value=allow]')
      const answer = await callback.answer()
      assert.ok(answer.get('code'))
      assert.equal(answer.get('iss'), `${service.config.authUrl}/oidc`)
      await context.close()
    })

  it('can be used by keyboard alone', async () => {
    const reader = await createReader(service, 'Ben')
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(request())
    await page.focus('[name=email]')
    await page.keyboard.type(reader.email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(reader.password)
    await page.keyboard.press('Enter')
    await page.waitForSelector('[name=decision]')
    for (let presses = 0; presses < 20; presses += 1) {
      const focused = await page.evaluate('document.activeElement?.getAttribute("value")')
      if (focused === 'allow') break
      await page.keyboard.press('Tab')
    }
    const ring = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')
    assert.notEqual(ring, 'none', 'what has the focus shows it')
    await page.keyboard.press('Enter')
    assert.ok((await callback.answer()).get('code'))
    await context.close()
  })

  it('take no for an answer', async () => {
    const reader = await createReader(service)
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(request())
    await signIn(page, reader)
    await page.click('[name=decision][value=deny]')
    assert.equal((await callback.answer()).get('error'), 'access_denied')
    await context.close()
  })

  it('speak the language that is asked for, and another at a press', async () => {
    const context = await browser.newContext({ locale: 'zh-CN' })
    const page = await context.newPage()
    const language = () => page.locator('html').getAttribute('lang')
    await page.goto(`${service.config.authUrl}/sign-in`)
    assert.equal(await language(), 'zh-Hans')
    await page.goto(request({ ui_locales: 'ja' }))
    assert.equal(await language(), 'ja')
    await page.click('footer a[lang=en]')
    assert.equal(await language(), 'en')
    await page.goto(`${service.config.authUrl}/forgotten-password`)
    assert.equal(await language(), 'en')
    await context.close()
  })

  it('sign somebody in with a passkey alone, once one was added', async () => {
    const reader = await createReader(service, 'Cho')
    const context = await browser.newContext()
    const page = await context.newPage()
    const devtools = await context.newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
      },
    })
    await page.goto(`${service.config.authUrl}/sign-in`)
    await signIn(page, reader)
    await page.goto(`${service.config.authUrl}/account/security/passkeys`)
    const adding = page.locator('form[data-passkey-add]')
    await adding.locator('[name=name]').fill('This laptop')
    await adding.locator('[name=current_password]').fill(reader.password)
    await adding.locator('button').click()
    await page.getByText('This laptop').first().waitFor()

    await context.clearCookies()
    await page.goto(request())
    await page.click('form[data-passkey] button')
    await page.waitForSelector('[name=decision]')
    await page.click('[name=decision][value=allow]')
    assert.ok((await callback.answer()).get('code'))
    await context.close()
  })

  it(
    'are all good to read and to use, in either theme, on a desk and on a phone',
    { timeout: 240_000 },
    async () => {
      const context = await browser.newContext()
      const page = await context.newPage()
      const faults: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error' && !/status of (4\d\d|503)|favicon/.test(message.text()))
          faults.push(`${page.url()}: ${message.text()}`)
      })
      const seen: string[] = []
      for await (const name of tour(context, page)) {
        seen.push(name)
        if ((await page.locator('h1').count()) !== 1) faults.push(`${name} has not one heading`)
        if ((await page.locator('[style], style, script:not([src])').count()) > 0)
          faults.push(`${name} has something inline`)
        for (const fault of await findFaultsOfBothLooks(page)) faults.push(`${name}: ${fault}`)
      }
      assert.deepEqual(faults, [])
      assert.ok(seen.length >= 25, seen.join(', '))
      await context.close()
    },
  )

  /** Goes to every page there is, with something on it to see. */
  async function* tour(context: BrowserContext, page: Page): AsyncGenerator<string> {
    const { authUrl, dataDir } = service.config
    const visit = (path: string) => page.goto(authUrl + path)
    const reader = await createReader(service, '名前 Dao')

    await visit('/sign-in')
    yield 'sign-in'
    await signIn(page, { ...reader, password: 'wrong one' })
    yield 'sign-in refused'
    await visit('/sign-up')
    yield 'sign-up'
    const email = `new-${Date.now()}@example.org`
    await page.fill('[name=email]', email)
    await page.fill('[name=name]', 'New')
    await page.fill('[name=password]', 'short')
    await page.click('form:has([name=password]) button')
    yield 'sign-up refused'
    await page.fill('[name=password]', 'a long enough one')
    await page.click('form:has([name=password]) button')
    yield 'sign-up mail sent'
    await page.goto(await linkTo(dataDir, email, '/sign-up/confirm'))
    yield 'sign-up confirm'
    await visit('/sign-up/confirm?token=gone')
    yield 'sign-up link gone'
    await visit('/forgotten-password')
    yield 'forgotten password'
    await page.fill('[name=email]', reader.email)
    await page.click('form:has([name=email]) button')
    yield 'reset mail sent'
    await page.goto(await linkTo(dataDir, reader.email, '/reset-password'))
    yield 'reset password'
    await page.goto(request({ redirect_uri: `${callback.url}/` }))
    yield 'error of a redirect_uri'

    await page.goto(request({ scope: 'openid profile email offline_access status:write', prompt: 'consent' }))
    await signIn(page, reader)
    yield 'consent'
    await page.click('[name=decision][value=allow]')
    await callback.answer()
    await page.goto(request({ prompt: 'select_account' }))
    yield 'choose account'

    for (const path of [
      '',
      '/welcome',
      '/profile',
      '/profile/picture',
      '/preferences',
      '/email',
      '/password',
      '/sessions',
      '/apps',
      '/history',
      '/security',
      '/security/authenticator',
      '/security/passkeys',
      '/delete',
    ]) {
      const response = await visit(`/account${path}`)
      assert.equal(response?.status(), 200, path)
      yield `account${path}`
    }

    await page.goto(`${authUrl}/account/security/authenticator`)
    const codeFor = (secretText: string) => new TOTP({ secret: secretText }).generate()
    await page.fill('[name=current_password]', reader.password)
    await page.fill('[name=code]', codeFor(await page.inputValue('[name=secret]')))
    await page.locator('form:has([name=code]) button').first().click()
    await page.waitForSelector('.codes')
    yield 'account, the recovery codes'
    await visit('/account/security/recovery-codes')
    yield 'account, new recovery codes'
    await visit('/account/security/authenticator/off')
    yield 'account, the authenticator off'
    await page.fill('[name=current_password]', 'wrong one')
    await page.click('form:has([name=current_password]) button')
    yield 'account, a wrong password'
    await page.fill('[name=current_password]', reader.password)
    await page.click('form:has([name=current_password]) button')
    await page.waitForURL(/security$/)

    const { body } = await postToProvider(`${authUrl}/oidc/device/auth`, { scope: 'openid' }, basic(app))
    await visit('/oidc/device')
    yield 'device code'
    await page.fill('[name=user_code]', 'WRONG-CODE')
    await page.click('form:has([name=user_code]) button')
    yield 'device code refused'
    await page.fill('[name=user_code]', String(body['user_code']))
    await page.click('form:has([name=user_code]) button')
    await page.waitForSelector('[name=abort]')
    yield 'device confirm'
    await page.locator('form:has([name=abort]) button:not([name=abort])').click()
    if ((await page.locator('[name=decision]').count()) > 0) await page.click('[name=decision][value=allow]')
    yield 'device done'

    await visit('/oidc/session/end')
    yield 'sign out'
    await page.click('[name=logout]')
    await page.waitForURL(/success/)
    yield 'signed out'

    const { secret } = startTotp(reader.email)
    const totp = new TOTP({ secret })
    await confirmTotp(service.db, reader.id, {
      secret,
      code: totp.generate(),
      secretKey: undefined,
      language: 'en',
    })
    await visit('/sign-in')
    await signIn(page, reader)
    yield 'second factor'
    await page.click('.lost > summary')
    yield 'second factor, with the phone lost'
    await page.fill('[name=recovery_code]', 'wrong')
    await page.click('form:has([name=recovery_code]) button')
    yield 'recovery code refused'
    await visit('/signed-out')
    yield 'signed out of the site'
    await visit('/not-me?token=gone')
    yield 'link of a mail that is gone'

    await context.clearCookies()
    const leaving = await createReader(service, 'Leaving')
    await visit('/sign-in')
    await signIn(page, leaving)
    await visit('/account/delete')
    await page.fill('[name=current_password]', leaving.password)
    await page.click('button.danger')
    await page.locator('h1').waitFor()
    yield 'account that goes in a week'
    const notMe = await linkTo(dataDir, leaving.email, '/not-me')
    await page.goto(notMe)
    yield 'not me'
    await visit('/sign-in')
    await signIn(page, leaving)
    await page.waitForSelector('[name=decision][value=keep]')
    yield 'account that may be kept'
    await context.clearCookies()
  }
})
