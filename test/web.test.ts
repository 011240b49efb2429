import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { createReader } from '#test/authorization.ts'
import { findAccessibilityFaults } from '#test/axe.ts'
import { chromiumMissing, startChromium } from '#test/chromium.ts'
import { startService, type TestService } from '#test/service.ts'

describe('the catalog in a real browser', { skip: chromiumMissing() }, () => {
  let service: TestService
  let browser: Browser
  before(async () => {
    service = await startService({ environment: { PAGE_REQUESTS_PER_MINUTE: '1000000', IMAGES: 'off' } })
    browser = await startChromium()
  })
  after(async () => {
    await browser?.close()
    await service?.close()
  })

  const isDark = (page: Page) =>
    page
      .evaluate('getComputedStyle(document.documentElement).colorScheme')
      .then((scheme) => scheme === 'dark')

  for (const javaScriptEnabled of [true, false])
    it(`is searched, filtered, and shown as somebody likes it, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
      const context = await browser.newContext({ javaScriptEnabled, locale: 'en-GB' })
      const page = await context.newPage()
      const failed: string[] = []
      page.on('console', (line) => line.type() === 'error' && failed.push(line.text()))
      await page.goto(service.url)
      await page.fill('[name=q]', 'suzumiya haruhi')
      if (javaScriptEnabled) {
        await page.locator('.found a', { hasText: '涼宮ハルヒ' }).first().waitFor()
        await page.keyboard.press('ArrowDown')
        assert.match(String(await page.evaluate('document.activeElement.pathname')), /^\/light-novels\/\d+$/)
        await page.keyboard.press('Escape')
        assert.equal(await page.locator('.found').isVisible(), false)
        assert.equal(await page.evaluate('document.activeElement.name'), 'q')
      }
      await page.keyboard.press('Enter')
      await page.locator('h1', { hasText: 'Search: suzumiya haruhi' }).waitFor()
      assert.equal(await page.locator('.hits .name').first().innerText(), '涼宮ハルヒシリーズ')

      await page.click('.kinds a[href="/galgames"]')
      await page.selectOption('[name=year]', '2004')
      await page.selectOption('[name=sort]', 'name')
      await page.click('.filters button')
      await page.locator('.chips.active').waitFor()
      assert.equal(new URL(page.url()).searchParams.get('year'), '2004')
      assert.ok((await page.locator('.entry-title').allInnerTexts()).includes('CLANNAD'))
      await page.click('.list-head a:has-text("Table")')
      assert.equal(await page.locator('table.entries').count(), 1)

      await page.click('.foot a[lang=ja]')
      assert.equal(await page.locator('html').getAttribute('lang'), 'ja')
      assert.equal(new URL(page.url()).searchParams.get('year'), '2004')
      await page.click('.foot a:has-text("ダーク")')
      assert.equal(await isDark(page), true)

      await page.goto(`${service.url}/no/such/page`)
      await page.fill('main [name=q]', 'clannad')
      await page.click('main form button')
      assert.equal(await page.locator('.hits .name').first().innerText(), 'CLANNAD')
      await page.click('.brand')
      assert.equal(new URL(page.url()).pathname, '/')
      // The address that is not there, and pictures, whose sources no test asks.
      assert.deepEqual(
        failed.filter((line) => !/404/.test(line)),
        [],
      )
      await context.close()
    })

  const PATHS = [
    '/',
    '/galgames',
    '/galgames?view=table&year=2004&tag=x',
    '/light-novels?page=2',
    '/people',
    '/producers?view=table',
    '/characters',
    '/search',
    '/search?q=no',
    '/search?q=zzxxyyqqwwvv',
    '/tags',
    '/galgames?page=-1',
    '/no/such/page',
    '/library',
    '/library/statistics',
    '/library/import',
  ]

  async function signedIn(context: BrowserContext) {
    const { email, password } = await createReader(service, 'Somebody with rather a long name')
    const page = await context.newPage()
    await page.goto(`${service.url}/sign-in`)
    await page.fill('[name=email]', email)
    await page.fill('[name=password]', password)
    await page.click('form:has([name=password]) button')
    await page.goto(`${service.url}/account/preferences`)
    await page.check('[name=nsfw]')
    await page.check('[name=of_age]')
    await page.click('main form button')
    return page
  }

  for (const javaScriptEnabled of [true, false])
    it(`keeps a list: a work is put on it from its card, and undone, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
      const context = await browser.newContext({ javaScriptEnabled, locale: 'en-GB' })
      const page = await signedIn(context)
      await page.goto(`${service.url}/galgames?sort=name`)
      const card = page.locator('.entry').first()
      const title = await card.locator('.entry-title').innerText()
      const link = card.locator('a[data-mark-link]')
      if (javaScriptEnabled) {
        await link.focus()
        await page.keyboard.press('Enter')
        const panel = card.locator('.mark-panel')
        await panel.locator('[name=status]').selectOption('PLAN')
        await card.locator('a.on-list.status-PLAN').waitFor()
        assert.deepEqual(await findAccessibilityFaults(page), [], 'the panel of a card')
        await panel.locator('[data-undo] button').click()
        await card.locator('a.on-list.add').waitFor()
        await panel.locator('[name=status]').selectOption('COMPLETED')
        await card.locator('a.on-list.status-COMPLETED').waitFor()
        await panel.locator('[name=rate]').selectOption('8')
        await panel.locator('[name=rate] option:checked', { hasText: '8' }).waitFor({ state: 'attached' })
        await panel.locator('[data-state=saved]').waitFor()
        await page.keyboard.press('Escape')
        await panel.waitFor({ state: 'detached' })
      } else {
        await link.click()
        await page.check('[name=status][value=COMPLETED]')
        await page.fill('[name=rate]', '8')
        await page.click('.record-form button:first-of-type')
      }
      await page.goto(`${service.url}/library?status=COMPLETED`)
      const line = page.locator('.own-line', { hasText: title })
      assert.equal(await line.locator('[name=rate]').inputValue(), '8')
      await line.locator('[name=rate]').selectOption('3')
      if (javaScriptEnabled) await line.locator('[data-state=saved]').waitFor()
      else await line.locator('.mark-form button').click()
      await page.locator('.undo button').click()
      if (javaScriptEnabled)
        await line.locator('[name=rate] option:checked', { hasText: '8' }).waitFor({ state: 'attached' })
      await page.goto(`${service.url}/library`)
      assert.equal(await line.locator('[name=rate]').inputValue(), '8')
      for (const path of ['/library', '/library/history', '/library/statistics']) {
        await page.goto(service.url + path)
        if (javaScriptEnabled) assert.deepEqual(await findAccessibilityFaults(page), [], path)
      }
      await context.close()
    })

  for (const [theme, width] of [
    ['light', 320],
    ['dark', 1_280],
  ] as const)
    it(`has nothing that axe-core or a narrow screen would mind, ${theme} and ${width} wide`, async () => {
      const context = await browser.newContext({
        colorScheme: theme,
        viewport: { width, height: 800 },
        locale: 'en-GB',
      })
      const page = await signedIn(context)
      for (const path of ['/account/preferences', ...PATHS]) {
        await page.goto(service.url + path)
        assert.deepEqual(await findAccessibilityFaults(page), [], `${path} ${theme}`)
        const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        assert.ok(Number(beyond) <= 0, `${path} is ${String(beyond)} too wide at ${width}`)
      }
      for (const language of ['ja', 'zh-Hans']) {
        await page.goto(`${service.url}/galgames?ui_locales=${language}`)
        assert.deepEqual(await findAccessibilityFaults(page), [], language)
      }
      await page.goto(service.url)
      await page.fill('[name=q]', 'no')
      await page.locator('.found a').first().waitFor()
      assert.deepEqual(await findAccessibilityFaults(page), [], 'search as somebody types')
      await context.close()
    })

  it('is light: a page with all it loads, and again with what is kept', async () => {
    const sizeOf = async (path: string) => {
      const response = await fetch(service.url + path, {
        headers: { accept: 'text/html', 'accept-encoding': 'br' },
      })
      // What went over the wire; the body is unpacked already.
      return { sent: Number(response.headers.get('content-length')), text: await response.text() }
    }
    for (const path of [
      '/',
      '/light-novels',
      '/search?q=no',
      '/characters',
      '/galgames/1',
      '/characters/1',
    ]) {
      const page = await sizeOf(path)
      // `IMAGES=off`: what would be a picture is its title, and nothing is asked for.
      assert.doesNotMatch(page.text, /\/images\//, path)
      const assets = [...page.text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(
        ([, address = '']) => address,
      )
      const sizes = await Promise.all(assets.map(async (address) => (await sizeOf(address)).sent))
      assert.ok(page.sent > 0 && page.sent <= 20_000, `${path}: ${page.sent}`)
      assert.ok(
        page.sent + sizes.reduce((sum, size) => sum + size, 0) <= 60_000,
        `${path} with ${sizes.join()}`,
      )
    }
  })
})
