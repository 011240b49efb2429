import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { createUser, type TestUser } from '#test/authorization.ts'
import { findFaultsOfBothThemes, findFaultsOfLanguage } from '#test/axe.ts'
import { chromiumMissing } from '#test/chromium.ts'
import { freePort } from '#test/free-port.ts'
import { startService, type TestService } from '#test/service.ts'
import { shareChromium, type TestBrowser } from '#test/shared-chromium.ts'
import { fillSignIn } from '#test/sign-in-pages.ts'
import { LANGUAGES } from '../src/i18n/languages.ts'

describe('sign-in through a second service in a real browser', { skip: chromiumMissing() }, () => {
  let club: TestService
  let service: TestService
  let browser: TestBrowser
  before(async () => {
    const port = String(await freePort())
    // Cookies ignore ports, so the services have different host names.
    const authUrl = `http://localhost:${port}`
    club = await startService({ content: 'empty' })
    const app = await club.createApp({
      clientName: 'Shelf',
      redirectUris: [`${authUrl}/sign-in/with/club/callback`],
      scopes: ['user:read'],
    })
    service = await startService({
      content: 'empty',
      environment: {
        PORT: port,
        AUTH_URL: authUrl,
        UPSTREAM_PROVIDERS: 'club',
        UPSTREAM_CLUB_ISSUER: `${club.url}/oidc`,
        UPSTREAM_CLUB_CLIENT_ID: app.clientId,
        UPSTREAM_CLUB_CLIENT_SECRET: app.secret,
        UPSTREAM_CLUB_LABEL: 'The Club',
      },
    })
    browser = await shareChromium()
  })
  after(async () => {
    await browser?.close()
    await service?.close()
    await club?.close()
  })

  const path = (page: Page) => new URL(page.url()).pathname
  const button = 'form[action^="/sign-in/with/club"] button'

  /** Signs in at the club, and allows the service to read the profile. */
  async function signInAtClub(page: Page, user: TestUser) {
    await page.waitForURL(`${club.url}/**`)
    await fillSignIn(page, user)
    await page.click('[name=decision][value=allow]')
    await page.waitForURL(`${service.config.authUrl}/**`)
  }

  for (const javaScriptEnabled of [true, false])
    it(`creates an account ${javaScriptEnabled ? 'with' : 'without'} JavaScript, and signs in again`, async () => {
      const user = await createUser(club, 'Ann')
      const context = await browser.newContext({ javaScriptEnabled })
      const page = await context.newPage()
      await page.goto(`${service.config.authUrl}/sign-up`)
      await page.click(button)
      await signInAtClub(page, user)
      assert.equal(path(page), '/sign-up/with')
      assert.equal(await page.inputValue('[name=email]'), user.email)
      assert.equal(await page.inputValue('[name=name]'), 'Ann')
      await page.click('form:has([name=name]) button')
      assert.equal(path(page), '/account/welcome')

      await page.goto(`${service.config.authUrl}/account`)
      await page.click('form[action="/account/sign-out"] button')
      await page.goto(`${service.config.authUrl}/sign-in`)
      await page.click(button)
      // The club still has a session and the consent.
      await page.waitForURL(`${service.config.authUrl}/account`)
      await context.close()
    })

  it('can be connected and disconnected with the keyboard alone', async () => {
    const user = await createUser(club, 'Ben')
    const own = await createUser(service, 'Ben here')
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${service.config.authUrl}/sign-in`)
    await fillSignIn(page, own)
    await page.goto(`${service.config.authUrl}/account/security`)
    const press = async (selector: string) => {
      await page.focus(selector)
      await page.keyboard.press('Enter')
    }
    await press('a[href="/account/security/providers"]')
    await page.waitForURL('**/providers')
    await press('a[href^="/account/security/providers/change"]')
    await page.waitForURL('**/change?*')
    await page.focus('[name=current_password]')
    await page.keyboard.type(own.password)
    await page.keyboard.press('Enter')
    await signInAtClub(page, user)
    assert.equal(path(page), '/account/security/providers')
    assert.match(await page.innerText('[role=status]'), /connected/)
    assert.match(await page.innerText('main'), new RegExp(user.email))
    await press('a[href^="/account/security/providers/change"]')
    await page.waitForURL('**/change?*')
    await page.focus('[name=current_password]')
    await page.keyboard.type(own.password)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/providers')
    assert.match(await page.innerText('[role=status]'), /disconnected/)
    await context.close()
  })

  it('returns to the sign-in page after the user refuses at the second service', async () => {
    const user = await createUser(club, 'Cat')
    const page = await browser.newPage()
    await page.goto(`${service.config.authUrl}/sign-in`)
    await page.click(button)
    await page.waitForURL(`${club.url}/**`)
    await fillSignIn(page, user)
    await page.click('[name=decision][value=deny]')
    await page.waitForURL(`${service.config.authUrl}/sign-in`)
    assert.equal(await page.locator('[role=alert]:visible').count(), 0)
    await page.context().close()
  })

  it('has accessible pages in every language', async () => {
    const user = await createUser(club, 'Dan')
    const context = await browser.newContext()
    const page = await context.newPage()
    const { authUrl } = service.config
    const check = async (name: string) => {
      assert.deepEqual(await findFaultsOfBothThemes(page), [], name)
      const screenshots = process.env['SCREENSHOTS']
      for (const tag of LANGUAGES) {
        await page.context().addCookies([{ name: 'mokuroku-lang', value: tag, url: authUrl }])
        await page.reload()
        assert.deepEqual(await findFaultsOfLanguage(page), [], `${name} in ${tag}`)
        if (screenshots)
          await page.screenshot({ path: `${screenshots}/${name}-${tag}.png`, fullPage: true })
      }
      await page.context().addCookies([{ name: 'mokuroku-lang', value: 'en', url: authUrl }])
      await page.reload()
      if (screenshots) {
        await page.emulateMedia({ colorScheme: 'light' })
        await page.setViewportSize({ width: 1_280, height: 800 })
        await page.screenshot({ path: `${screenshots}/${name}-wide.png`, fullPage: true })
      }
    }
    await page.goto(`${authUrl}/sign-in`)
    await check('sign-in')
    await page.goto(`${authUrl}/sign-up`)
    await check('sign-up')
    await page.click(button)
    await signInAtClub(page, user)
    await check('sign-up-with')
    await page.click('form:has([name=name]) button')
    await page.goto(`${authUrl}/account/security/providers`)
    await check('providers')
    await page.click('a[href^="/account/security/providers/change"]')
    await check('disconnect')
    await page.goto(`${authUrl}/account/password`)
    await check('password')
    await page.goto(`${authUrl}/account/security`)
    await check('security')
    await context.close()
  })
})
