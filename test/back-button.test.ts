import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createUser } from '#test/authorization.ts'
import { chromiumMissing } from '#test/chromium.ts'
import { shareChromium, type TestBrowser } from '#test/shared-chromium.ts'
import { startService, type TestService } from '#test/service.ts'
import { fillSignIn } from '#test/sign-in-pages.ts'
import { setRole } from '../src/accounts/role-queries.ts'

const NAME = 'Nobody Else Sees This'

describe('a user who signs out in a real browser', { skip: chromiumMissing() }, () => {
  let service: TestService
  let browser: TestBrowser
  before(async () => {
    service = await startService()
    // The back/forward cache is on, as in users' browsers.
    browser = await shareChromium({ backForwardCache: true })
  })
  after(async () => {
    await browser?.close()
    await service?.close()
  })

  it('cannot return to a private page with the Back button', { timeout: 240_000 }, async () => {
    const user = await createUser(service, NAME)
    await setRole(service.db, user.id, 'ADMIN')
    const context = await browser.newContext({ locale: 'en-GB' })
    const page = await context.newPage()
    await page.goto(`${service.url}/sign-in`)
    await fillSignIn(page, user)
    await page.waitForURL(/\/account/)
    const paths = [
      '/account/sessions',
      '/library',
      '/console',
      '/desk/accounts',
      '/reports',
      '/galgames',
      '/account',
    ]
    for (const path of paths) {
      await page.goto(service.url + path)
      assert.match(await page.innerText('body'), new RegExp(NAME), path)
    }
    await page.click('form[action*="sign-out"] button')
    if ((await page.locator('form[action*="sign-out"] button').count()) > 0)
      await page.click('form[action*="sign-out"] button')
    await page.waitForURL(/signed-out|sign-in/)
    for (let steps = 0; steps < paths.length + 2; steps += 1) {
      await page.goBack({ waitUntil: 'load' }).catch(() => null)
      const shown = await page.innerText('body')
      assert.doesNotMatch(shown, new RegExp(NAME), page.url())
    }
    await context.close()
  })
})
