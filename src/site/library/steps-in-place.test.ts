import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { findAccessibilityFaults, findFaultsOfBothThemes } from '#test/axe.ts'
import { chromiumMissing } from '#test/chromium.ts'
import { createUser, type TestUser } from '#test/authorization.ts'
import { shareChromium, type TestBrowser } from '#test/shared-chromium.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { startService, type TestService } from '#test/service.ts'
import { openSignedInPage } from '#test/signed-in-page.ts'
import { queryText } from '../../db/query.ts'
import { findRating, saveRating } from '../../ratings/own/queries.ts'
import { changeProgress, findWorkProgress } from '../../ratings/progress/queries.ts'

describe('a user’s list in a browser', { skip: chromiumMissing() }, () => {
  let service: TestService
  let browser: TestBrowser
  let user: TestUser
  let key: { accountId: number; kind: 'light_novel'; workId: number }
  before(async () => {
    service = await startService({ environment: { IMAGES: 'off' } })
    browser = await shareChromium()
    user = await createUser(service, 'Reader')
    const workId = first((await sampleWorks(service.db)).light_novel)
    key = { accountId: user.id, kind: 'light_novel', workId }
    await queryText(service.db, 'update light_novels set total_volumes = 3 where id = $1', [workId])
  })
  after(async () => {
    await browser?.close()
    await service?.close()
  })

  for (const path of ['/', '/library?view=rows', '/library?view=covers', '/library?view=table'])
    it(`adds volumes in place until the work is finished, on ${path}`, async () => {
      await saveRating(service.db, key, null, { status: 'GOING' })
      await changeProgress(service.db, key, null, () => ({ volumes_read: 1 }))
      const context = await browser.newContext({ locale: 'en-GB' })
      const page = await openSignedInPage(service, context, user)
      await page.goto(service.url + path)
      const at = page.url()
      const item = page.locator(':is([data-item], .entry):has(.own-next)').first()
      const read = item.locator('.own-read')
      const step = item.locator('[name=step]')
      assert.equal((await read.innerText()).trim(), '1 of 3 volumes read')
      await step.focus()
      const stop = await step.evaluate((button) => button.tabIndex)
      await page.keyboard.press('Enter')
      await read.getByText('2 of 3 volumes read').waitFor()
      const isFocused = async (selector: string) =>
        (await item.locator(`${selector}:focus`).count()) === 1
      assert.equal(await isFocused('[name=step]'), true)
      assert.equal(await step.evaluate((button) => button.tabIndex), stop)
      await step.click()
      await read.getByText('3 of 3 volumes read').waitFor()
      await item.getByRole('button', { name: /^Mark as finished: / }).click()
      await item.locator('a.on-list.status-COMPLETED').waitFor()
      assert.equal(await item.locator('[name=step]').count(), 0)
      assert.equal(await isFocused('a'), true)
      assert.equal(page.url(), at)
      assert.equal((await findWorkProgress(service.db, key)).volumes_read, 3)
      assert.equal((await findRating(service.db, key))?.status, 'COMPLETED')
      assert.deepEqual(await findAccessibilityFaults(page), [])
      await context.close()
    })

  it('has a menu of columns that works by keyboard and on phones, without scripts too', async () => {
    await changeProgress(service.db, key, null, () => ({
      started_on: '2024-01-03',
      finished_on: '2024-02-03',
      labels: ['to lend', '積読の山'],
    }))
    for (const javaScriptEnabled of [true, false]) {
      const context = await browser.newContext({
        javaScriptEnabled,
        locale: 'ja',
        viewport: { width: 360, height: 780 },
      })
      const page = await openSignedInPage(service, context, user)
      await page.goto(`${service.url}/library?view=table`)
      const menu = page.locator('.own-columns')
      await menu.locator('summary').focus()
      await page.keyboard.press('Enter')
      if (javaScriptEnabled) assert.deepEqual(await findAccessibilityFaults(page), [])
      await menu.getByLabel('ラベル').check()
      await menu.getByLabel('種類').uncheck()
      await menu.locator('button').click()
      await page.locator('.own-table th', { hasText: 'ラベル' }).waitFor()
      assert.equal(await page.locator('.own-table th', { hasText: '種類' }).count(), 0)
      assert.match(await page.locator('.own-table').innerText(), /積読の山/)
      const widths = '[document.documentElement.scrollWidth, innerWidth]'
      assert.deepEqual(await page.evaluate(widths), [360, 360])
      await page.goto(`${service.url}/library/diary`)
      assert.deepEqual(await page.evaluate(widths), [360, 360])
      if (javaScriptEnabled) assert.deepEqual(await findFaultsOfBothThemes(page), [])
      await context.close()
    }
  })
})
