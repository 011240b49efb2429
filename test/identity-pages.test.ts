import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { TOTP } from 'otpauth'
import { confirmTotp } from '../src/accounts/credentials/second-factor.ts'
import { generateTotpSecret } from '../src/accounts/credentials/totp.ts'
import { basicAuthorization, createUser, postToProvider } from '#test/authorization.ts'
import { findFaultsOfBothThemes } from '#test/axe.ts'
import { chromiumMissing } from '#test/chromium.ts'
import { waitForLink } from '#test/mailbox.ts'
import { fillSignIn, startSignInPages, type SignInPages } from '#test/sign-in-pages.ts'

describe('pages in a real browser', { skip: chromiumMissing() }, () => {
  let pages: SignInPages
  before(async () => {
    pages = await startSignInPages()
  })
  after(() => pages?.close())

  it(
    'are readable and usable in both themes, on a desktop and on a phone',
    { timeout: 240_000 },
    async () => {
      const context = await pages.browser.newContext()
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
        for (const fault of await findFaultsOfBothThemes(page)) faults.push(`${name}: ${fault}`)
      }
      assert.deepEqual(faults, [])
      assert.ok(seen.length >= 25, seen.join(', '))
      await context.close()
    },
  )

  /** Visits every page, with content on it. */
  async function* tour(context: BrowserContext, page: Page): AsyncGenerator<string> {
    const { authUrl, dataDir } = pages.service.config
    const visit = (path: string) => page.goto(authUrl + path)
    const user = await createUser(pages.service, '名前 Dao')

    await visit('/sign-in')
    yield 'sign-in'
    await fillSignIn(page, { ...user, password: 'wrong one' })
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
    await page.goto(await waitForLink(dataDir, email, '/sign-up/confirm'))
    yield 'sign-up confirm'
    await visit('/sign-up/confirm?token=gone')
    yield 'sign-up link gone'
    await visit('/forgotten-password')
    yield 'forgotten password'
    await page.fill('[name=email]', user.email)
    await page.click('form:has([name=email]) button')
    yield 'reset mail sent'
    await page.goto(await waitForLink(dataDir, user.email, '/reset-password'))
    yield 'reset password'
    await page.goto(pages.request({ redirect_uri: `${pages.callback.url}/` }))
    yield 'error of a redirect_uri'

    await page.goto(
      pages.request({
        scope: 'openid profile email offline_access status:write',
        prompt: 'consent',
      }),
    )
    await fillSignIn(page, user)
    yield 'consent'
    await page.click('[name=decision][value=allow]')
    await pages.callback.evaluate()
    await page.goto(pages.request({ prompt: 'select_account' }))
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
      '/tokens',
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
    await page.fill('[name=current_password]', user.password)
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
    await page.fill('[name=current_password]', user.password)
    await page.click('form:has([name=current_password]) button')
    await page.waitForURL(/security$/)

    const { body } = await postToProvider(
      `${authUrl}/oidc/device/auth`,
      { scope: 'openid' },
      basicAuthorization(pages.app),
    )
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
    if ((await page.locator('[name=decision]').count()) > 0)
      await page.click('[name=decision][value=allow]')
    yield 'device done'

    await visit('/oidc/session/end')
    yield 'sign out'
    await page.click('[name=logout]')
    await page.waitForURL(/success/)
    yield 'signed out'

    const { secret } = generateTotpSecret(user.email)
    const totp = new TOTP({ secret })
    await confirmTotp(pages.service.db, user.id, {
      secret,
      code: totp.generate(),
      secretKey: undefined,
      language: 'en',
    })
    await visit('/sign-in')
    await fillSignIn(page, user)
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
    const leaving = await createUser(pages.service, 'Leaving')
    await visit('/sign-in')
    await fillSignIn(page, leaving)
    await visit('/account/delete')
    await page.fill('[name=current_password]', leaving.password)
    await page.click('button.danger')
    await page.locator('h1').waitFor()
    yield 'account that goes in 7 days'
    const notMe = await waitForLink(dataDir, leaving.email, '/not-me')
    await page.goto(notMe)
    yield 'not me'
    await visit('/sign-in')
    await fillSignIn(page, leaving)
    await page.waitForSelector('[name=decision][value=keep]')
    yield 'account that may be kept'
    await context.clearCookies()
  }
})
