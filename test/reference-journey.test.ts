import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { catalogAnswer, createReader } from '#test/authorization.ts'
import { findAccessibilityFaults } from '#test/axe.ts'
import { chromiumMissing, startChromium } from '#test/chromium.ts'
import { fillSignIn } from '#test/sign-in-pages.ts'
import { startService, type TestService } from '#test/service.ts'

describe('the API reference in a real browser', { skip: chromiumMissing() }, () => {
  let service: TestService
  let browser: Browser
  before(async () => {
    service = await startService({ environment: { IMAGES: 'off' } })
    browser = await startChromium()
  })
  after(async () => {
    await browser?.close()
    await service?.close()
  })

  it('is tried by who signs in on the page, and not by who did not', async () => {
    const reader = await createReader(service, 'Somebody who tries')
    const context = await browser.newContext({ locale: 'en-GB' })
    const page = await context.newPage()
    const asked: { url: string; referer: string }[] = []
    page.on('request', (request) => {
      asked.push({ url: request.url(), referer: request.headers()['referer'] ?? '' })
    })
    const told = page.locator('[data-callback]', { hasText: 'belongs to no sign-in of this tab' })
    const kept = () => page.evaluate('Object.keys(sessionStorage).join()')
    const answer = page.locator('[data-answer-body]')

    // Somebody else's code, with no sign-in begun here or with another state than the one that was.
    await page.goto(`${service.url}/docs/callback?code=stolen&state=x&iss=${service.url}/oidc`)
    await told.waitFor()
    assert.equal(page.url(), `${service.url}/docs/callback`)
    await page.goto(`${service.url}/docs/listRatings`)
    await page.click('[data-sign-in]')
    await page.waitForURL(/\/sign-in/)
    await page.goto(`${service.url}/docs/callback?code=stolen&state=x&iss=${service.url}/oidc`)
    await told.waitFor()
    await page.goto(`${service.url}/docs/listRatings`)
    await page.fill('[data-token]', 'no token\n<b>')
    await page.click('.try form > .actions button')
    await answer.filter({ hasText: 'That is no token' }).waitFor()
    await page.fill('[data-token]', 'nonsense.nonsense.nonsense')
    await page.click('.try form > .actions button')
    await answer.filter({ hasText: 'AUTH_TOKEN_INVALID' }).waitFor()
    await page.fill('[data-token]', '')
    assert.equal(await kept(), '')

    await page.click('[data-sign-in]')
    await fillSignIn(page, reader)
    await page.click('[name=decision][value=allow]')
    await page.locator('[data-token-state]', { hasText: 'You have a token' }).waitFor()
    assert.equal(page.url(), `${service.url}/docs/listRatings#try`)
    assert.equal(await kept(), 'mokuroku-reference-token')
    const code = asked.map(({ url }) => new URL(url).searchParams.get('code')).find(Boolean)
    assert.ok(code && !asked.some(({ referer }) => referer.includes(code)), 'nobody is told of the code')
    await page.goto(`${service.url}/docs/callback?code=${code}&state=x&iss=${service.url}/oidc`)
    await told.waitFor()

    await page.goto(`${service.url}/docs/saveGalgameRating`)
    await page.locator('[data-token-state]', { hasText: 'does not have status:write' }).waitFor()
    await page.click('[data-sign-in]')
    await page.click('[name=decision][value=allow]')
    await page.locator('[data-token-state]', { hasText: 'You have a token' }).waitFor()
    await page.fill('[data-body]', '{"rate": 9}')
    assert.match(
      await page.locator('[data-curl]').innerText(),
      /^curl -X PUT .*"Authorization: Bearer \$TOKEN".*-d '\{"rate": 9\}'$/s,
    )
    await page.click('.try form > .actions button')
    await answer.filter({ hasText: '"rate": 9' }).waitFor()
    assert.match(await page.locator('[data-answer-status]').innerText(), /^200/)
    assert.match(await page.locator('[data-answer-headers]').innerText(), /^x-ratelimit-remaining: \d/m)
    assert.deepEqual(await findAccessibilityFaults(page), [], 'an answer')
    await page.click('[data-forget]')
    await page.locator('[data-token-state]', { hasText: 'no token yet' }).waitFor()
    assert.equal(await kept(), '')

    // Signing out, in another tab, ends the token of this one: here, and at the service.
    await page.click('[data-sign-in]')
    await page.click('[name=decision][value=allow]')
    await page.locator('[data-token-state]', { hasText: 'You have a token' }).waitFor()
    const { token } = JSON.parse(
      String(await page.evaluate(`sessionStorage.getItem('mokuroku-reference-token')`)),
    ) as { token: string }
    const other = await context.newPage()
    await other.goto(`${service.url}/account`)
    await other.click('form[action="/account/sign-out"] button')
    await page.locator('[data-token-state]', { hasText: 'no token yet' }).waitFor()
    assert.equal(await kept(), '')
    assert.equal(await catalogAnswer(service, token), '401 AUTH_TOKEN_INVALID')
    // As a tab has it that heard nothing of it.
    await page.evaluate(
      `sessionStorage.setItem('mokuroku-reference-token', '{"token":"x","expires":9e15,"reader":"1"}')`,
    )
    await page.reload()
    await page.locator('[data-token-state]', { hasText: 'no token yet' }).waitFor()
    assert.equal(await kept(), '')

    await page.goto(`${service.url}/docs`)
    await page.fill('#filter', 'changes')
    await page.locator('[role=status]', { hasText: 'Operations: 1' }).waitFor()
    assert.equal(await page.locator('.operations li:visible').count(), 1)
    await context.close()
  })
})
