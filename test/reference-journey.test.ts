import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { createUser, type TestUser } from '#test/authorization.ts'
import { findFaultsOfBothThemes } from '#test/axe.ts'
import { chromiumMissing } from '#test/chromium.ts'
import { shareChromium, type TestBrowser } from '#test/shared-chromium.ts'
import { fillSignIn } from '#test/sign-in-pages.ts'
import { startService, type TestService } from '#test/service.ts'

describe('the API reference, in a browser', { skip: chromiumMissing() }, () => {
  let service: TestService
  let browser: TestBrowser
  let page: Page
  let user: TestUser
  before(async () => {
    service = await startService({ environment: { IMAGES: 'off' } })
    user = await createUser(service, 'Ann')
    browser = await shareChromium()
    page = await browser.newPage({ locale: 'en-GB' })
  })
  after(async () => {
    await browser?.close()
    await service?.close()
  })

  const send = async (answer: string) => {
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('[data-answer-status]').getByText(answer).waitFor()
  }
  const hasNoFaults = async (name: string) => {
    assert.deepEqual(await findFaultsOfBothThemes(page), [], name)
    await page.setViewportSize({ width: 1_280, height: 800 })
  }

  it('filters operations as the user types', async () => {
    await page.goto(`${service.url}/docs`)
    const operations = page.locator('main a[href^="/docs/"]:visible')
    const all = await operations.count()
    await page.fill('main [name=q]', 'history')
    await page.waitForFunction(`document.querySelectorAll('main a[href^="/docs/"]').length > 0`)
    assert.ok((await operations.count()) < all / 4)
  })

  it('sends requests as the user after consent, until the token is discarded', async () => {
    const urls: string[] = []
    page.on('request', (request) => urls.push(request.url()))
    const isLoaded = (script: string) =>
      urls.some((url) => url.startsWith(`${service.url}/assets/${script}?v=`))
    await page.goto(`${service.url}/docs/listRatings`)
    assert.deepEqual([isLoaded('reference.js'), isLoaded('sdk.js')], [true, false])
    await send('401')
    assert.ok(isLoaded('sdk.js'), 'the client package sends the requests')
    await hasNoFaults('a refusal')
    await page.getByRole('button', { name: 'Sign in with your account' }).click()
    await fillSignIn(page, user)
    await page.click('[name=decision][value=allow]')
    await page.waitForURL(`${service.url}/docs/listRatings**`)
    await send('200')
    assert.match(await page.locator('[data-answer]').innerText(), /"total_items": 0/)
    assert.doesNotMatch(await page.locator('[data-answer]').innerText(), /eyJ/)
    await hasNoFaults('an answer')
    await page.getByRole('button', { name: 'Discard token' }).click()
    await send('401')
  })

  it("sends requests with an app's token, which it does not store", async () => {
    await page.goto(`${service.url}/docs/getGalgame`)
    await page.fill('#try-token', await service.token('catalog:read'))
    await page.fill('#try-path-id', '1')
    await send('200')
    assert.match(await page.locator('[data-answer]').innerText(), /"origin_title": "CLANNAD"/)
    const storedToken = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    )
    assert.doesNotMatch(String(storedToken), /eyJ/)
    await page.reload()
    assert.equal(await page.inputValue('#try-token'), '')
  })
})
