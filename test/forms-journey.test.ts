import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { findAccessibilityFaults } from '#test/axe.ts'
import { chromiumMissing } from '#test/chromium.ts'
import { worksOfEachKind } from '#test/library-user.ts'
import { startService, type TestService } from '#test/service.ts'
import { shareChromium, type TestBrowser } from '#test/shared-chromium.ts'
import { createUser } from '#test/authorization.ts'
import { queryText } from '../src/db/query.ts'

/** Time, in milliseconds, a test waits for an element or a page. */
const WAIT_MS = 20_000
/** Time, in milliseconds, after which a test of a form fails. */
const TEST_LIMIT_MS = 90_000

describe('forms in a real browser', { skip: chromiumMissing() }, () => {
  let service: TestService
  let browser: TestBrowser
  before(async () => {
    service = await startService({ environment: { IMAGES: 'off' } })
    browser = await shareChromium()
  })
  after(async () => {
    await browser?.close()
    await service?.close()
  })

  const focused = async (page: Page) => {
    const element = page.locator(':focus')
    return (await element.getAttribute('id')) ?? (await element.getAttribute('class'))
  }

  async function newContext(javaScriptEnabled: boolean) {
    const context = await browser.newContext({ javaScriptEnabled, locale: 'en-GB' })
    context.setDefaultTimeout(WAIT_MS)
    return context
  }

  async function signedIn(javaScriptEnabled: boolean) {
    const user = await createUser(service, 'Writes')
    const context = await newContext(javaScriptEnabled)
    const page = await context.newPage()
    await page.goto(`${service.url}/sign-in`)
    await signIn(page, user)
    return { reader: user, context, page }
  }
  async function signIn(page: Page, { email, password }: { email: string; password: string }) {
    await page.fill('#email', email)
    await page.fill('#password', password)
    await page.click('main form button >> nth=0')
  }

  for (const javaScriptEnabled of [true, false]) {
    const scriptState = javaScriptEnabled ? 'with' : 'without'

    it(
      `move the focus to the error after they are refused, ${scriptState} scripts`,
      { timeout: TEST_LIMIT_MS },
      async () => {
        const { novel } = await worksOfEachKind(service)
        const guest = await (await newContext(javaScriptEnabled)).newPage()
        await guest.goto(`${service.url}/sign-in`)
        assert.equal(await focused(guest), 'email', 'nothing is refused yet')
        await signIn(guest, { email: 'no@example.com', password: 'not the password' })
        assert.equal(await focused(guest), 'notice error')
        assert.match(await guest.title(), /^Error: /)
        const { page } = await signedIn(javaScriptEnabled)
        await page.goto(`${service.url}/library/light-novels/${novel}`)
        await page.fill('#rate', '11')
        await page.click('.record-form button:not([value])')
        assert.equal(await focused(page), 'rate')
        assert.match(await page.title(), /^Error: /)
        // axe waits for timers, which never fire in a page without scripts.
        if (javaScriptEnabled) assert.deepEqual(await findAccessibilityFaults(page), [])
      },
    )

    it(
      `show both values when two tabs change one field, ${scriptState} scripts`,
      { timeout: TEST_LIMIT_MS },
      async () => {
        const { novel } = await worksOfEachKind(service)
        const { context, page: one } = await signedIn(javaScriptEnabled)
        const two = await context.newPage()
        const url = `${service.url}/library/light-novels/${novel}`
        await one.goto(url)
        await two.goto(url)
        await one.fill('#rate', '8')
        await one.click('.record-form button:not([value])')
        await two.fill('#rate', '9')
        await two.fill('#rate_content', 'Only here.')
        await two.click('.record-form button:not([value])')
        assert.equal(await two.locator('.conflict dd').innerText(), '8')
        assert.equal(await two.inputValue('#rate'), '9')
        assert.equal(await two.inputValue('#rate_content'), 'Only here.')
        assert.equal(await focused(two), 'notice error')
        if (javaScriptEnabled) assert.deepEqual(await findAccessibilityFaults(two), [])
        await two.click('.record-form button:not([value])')
        await one.goto(url)
        assert.equal(await one.inputValue('#rate'), '9')
        assert.equal(await one.inputValue('#rate_content'), 'Only here.')
      },
    )

    it(
      `restore an unsaved review after the user signs in again, ${scriptState} scripts`,
      { timeout: TEST_LIMIT_MS },
      async () => {
        const { manga } = await worksOfEachKind(service)
        const { reader: user, page } = await signedIn(javaScriptEnabled)
        await page.goto(`${service.url}/library/mangas/${manga}`)
        const review = 'First line.\n\n二行目 & "more".'
        await page.fill('#rate_content', review)
        await queryText(service.db, 'delete from sessions where account_id = $1', [user.id])
        await page.click('.record-form button:not([value])')
        assert.match(await page.locator('.lead').innerText(), /What you entered is saved/)
        await signIn(page, user)
        if (!javaScriptEnabled) await page.click('form[data-submit] button')
        await page.locator('#rate_content').waitFor()
        assert.equal(await page.inputValue('#rate_content'), review)
        await page.click('.record-form button:not([value])')
        await page.goto(`${service.url}/library/mangas/${manga}`)
        assert.equal(await page.inputValue('#rate_content'), review)
      },
    )
  }
})
