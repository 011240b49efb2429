import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { authorizationRequest, CALLBACK, createClient, createUser } from '#test/authorization.ts'
import { chromiumMissing } from '#test/chromium.ts'
import { createFilledUser } from '#test/filled-user.ts'
import { shareChromium, type TestBrowser } from '#test/shared-chromium.ts'
import { startService, type TestService } from '#test/service.ts'
import { fillSignIn } from '#test/sign-in-pages.ts'
import { LANGUAGES } from '../src/i18n/languages.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { composeMail } from '../src/accounts/mail/compose-mail.ts'
import { DEFAULT_BRAND } from '../src/accounts/mail/render-mail.ts'
import { createCollection } from '../src/collections/queries.ts'
import { saveRating } from '../src/ratings/own/queries.ts'
import { createEndpoint } from '../src/webhooks/endpoint-queries.ts'
import { WEBHOOK_EVENTS } from '../src/webhooks/events.ts'
import { fallbackPicture } from '../src/site/pictures/fallback-picture.ts'

/** A single word wider than a phone. */
const LONG_WORD = 'Endless'.repeat(10)

describe('page layout', { skip: chromiumMissing() }, () => {
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

  type Options = NonNullable<Parameters<TestBrowser['newContext']>[0]>
  async function windowOf(
    user: { email: string; password: string },
    options: Options = {},
  ): Promise<Page> {
    const context: BrowserContext = await browser.newContext({ locale: 'en-GB', ...options })
    const page = await context.newPage()
    await page.goto(`${service.url}/sign-in`)
    await fillSignIn(page, user)
    await page.waitForURL(/\/account/)
    return page
  }
  const phone = { viewport: { width: 320, height: 700 } }
  /** Returns how far the widest of these elements overflows the window or its own box. */
  const overflowOf = (page: Page, selector: string) =>
    page.evaluate(
      `Math.max(document.documentElement.scrollWidth - innerWidth, ...[...document.querySelectorAll('${selector}')].flatMap((part) => [part.getBoundingClientRect().right - innerWidth, part.scrollWidth - part.clientWidth]))`,
    )

  it('wraps a collection name that is a single long word on phones', async () => {
    const user = await createUser(service)
    await createCollection(service.db, user.id, { name: LONG_WORD })
    const game = first((await sampleWorks(service.db)).galgame)
    const page = await windowOf(user, phone)
    await page.goto(`${service.url}/galgames/${game}`)
    await page.click('.menu-of-collections > summary')
    assert.ok(Number(await overflowOf(page, '.collection-menu ul')) <= 0)
    await page.context().close()
  })

  it('wraps a long app name on the consent page', async () => {
    const user = await createUser(service)
    const app = await createClient(service, {
      clientName: `「${'本棚ランチャー'.repeat(4)}（デスクトップ版）」`,
    })
    const page = await windowOf(user, { ...phone, locale: 'ja' })
    await page.goto(service.url + authorizationRequest(app, { redirect_uri: CALLBACK }).path)
    assert.ok(Number(await overflowOf(page, '.app-head h1')) <= 0)
    await page.context().close()
  })

  it('wraps a long webhook URL in the console', async () => {
    const user = await createUser(service)
    const { clientId } = await service.createApp({ accountId: user.id })
    const owner = { accountId: user.id, clientId, origin: {} }
    const endpoint = { url: `https://hooks.example.org/${LONG_WORD}`, events: [WEBHOOK_EVENTS[0]] }
    await createEndpoint(service.db, owner, endpoint, undefined)
    const page = await windowOf(user, phone)
    await page.goto(`${service.url}/console/apps/${clientId}/webhooks`)
    assert.ok(Number(await overflowOf(page, '.card a')) <= 0)
    await page.context().close()
  })

  it('keeps the names of the months of a year apart on phones', async () => {
    const user = await createFilledUser(service)
    for (const locale of ['en-GB', 'ja', 'zh-CN']) {
      const page = await windowOf(user, { ...phone, locale })
      await page.goto(`${service.url}/library/statistics?year=2024`)
      const boxes = await page.evaluate<{ left: number; right: number }[]>(
        `[...document.querySelectorAll('.month-columns .quiet > [aria-hidden]')].filter((name) => name.checkVisibility({ visibilityProperty: true })).map((name) => name.getBoundingClientRect().toJSON())`,
      )
      assert.ok(boxes.length >= 6)
      for (const [index, { left }] of boxes.entries())
        assert.ok(left >= (boxes[index - 1]?.right ?? 0), `${locale}: ${JSON.stringify(boxes)}`)
      assert.ok((boxes.at(-1)?.right ?? 0) <= 320)
      await page.context().close()
    }
  })

  it('gives header links their minimum size, however narrow the font is', async () => {
    const page = await browser.newPage(phone)
    await page.goto(`${service.url}/galgames`)
    const widths = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.kinds > a, .kinds summary, .find-link, .me a')].map((link) => { link.textContent = 'i'; return link.getBoundingClientRect().width })`,
    )
    assert.ok(widths.length >= 4)
    // WCAG 2.2, 2.5.8.
    for (const width of widths) assert.ok(width >= 24, widths.join())
  })

  it('wraps an IPv6 address in emails in three languages', async () => {
    const page = await browser.newPage(phone)
    for (const language of LANGUAGES) {
      await page.setContent(
        composeMail(
          'new_device',
          language,
          {
            address: '2001:db8:85a3:1234:5678:8a2e:370:7334',
            userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/130.0 Safari/537.36',
            at: new Date(),
            notMe: `${service.url}/not-me?token=${'x'.repeat(43)}`,
          },
          DEFAULT_BRAND,
        ).html,
      )
      assert.ok(Number(await overflowOf(page, 'body > div')) <= 0, language)
    }
    await page.close()
  })

  it('does not break words in the tables of the moderation pages', async () => {
    const admin = await createUser(service, 'Administrator', 'ADMIN')
    await service.db
      .updateTable('accounts')
      .set({ email: `${'a'.repeat(60)}@${'long-'.repeat(9)}host.example.org` })
      .where('id', '=', (await createUser(service, 'A name of several words, '.repeat(2))).id)
      .execute()
    const page = await windowOf(admin, { viewport: { width: 1_100, height: 800 } })
    await page.goto(`${service.url}/desk/accounts`)
    assert.ok(Number(await overflowOf(page, '.desk-rows')) <= 0)
    await page.goto(`${service.url}/desk/log`)
    const broken =
      await page.evaluate(`[...document.querySelectorAll('table.dense td:not(.long)')].filter((cell) => {
      const range = document.createRange()
      range.selectNodeContents(cell.querySelector('a, code, strong') ?? cell)
      return /^\\w+$/.test(cell.innerText.trim()) && new Set([...range.getClientRects()].map(({ top }) => Math.round(top / 8))).size > 1
    }).map((cell) => cell.innerText)`)
    assert.deepEqual(broken, [])
    assert.ok(Number(await overflowOf(page, '.table-frame')) <= 0)
    await page.context().close()
  })

  it('fits the desk’s navigation on one line on phones, and opens it by keyboard and without scripts', async () => {
    const admin = await createUser(service, 'Administrator', 'ADMIN')
    for (const [locale, javaScriptEnabled] of [
      ['en-GB', true],
      ['ja', false],
    ] as const) {
      const page = await windowOf(admin, { ...phone, locale, javaScriptEnabled })
      await page.goto(`${service.url}/desk/accounts`)
      const nav = page.locator('.desk > .side-nav')
      assert.ok(((await nav.boundingBox())?.height ?? 100) < 60)
      const button = nav.locator('summary')
      assert.equal(await button.innerText(), await page.locator('h1').innerText())
      const log = nav.locator('a[href="/desk/log"]')
      assert.equal(await log.isVisible(), false)
      await button.press('Enter')
      assert.ok(Number(await overflowOf(page, '.side-nav a')) <= 0)
      await log.press('Enter')
      await page.waitForURL(/\/desk\/log$/)
      await page.setViewportSize({ width: 1_280, height: 800 })
      assert.equal(await log.isVisible(), true)
      assert.equal(await button.isVisible(), false)
      await page.context().close()
    }
  })

  it('shows the longest sort option in full in a list with labels', async () => {
    const user = await createFilledUser(service, 'Hana')
    const page = await windowOf(user, { viewport: { width: 800, height: 700 } })
    for (const width of [360, 768, 800, 1_100]) {
      await page.setViewportSize({ width, height: 700 })
      await page.goto(`${service.url}/library`)
      assert.equal(await page.locator('.narrowing #label').count(), 1)
      await page.evaluate(`document.querySelector('.filters').open = true`)
      const missing = await page.locator('.narrowing #sort').evaluate((select) => {
        const given = select.getBoundingClientRect().width
        select.style.width = 'max-content'
        return select.getBoundingClientRect().width - given
      })
      assert.ok(missing <= 0.5, `${missing} px at ${width}`)
    }
    await page.context().close()
  })

  it('fits a placeholder’s title next to the list status badge', async () => {
    const user = await createUser(service)
    const game = first((await sampleWorks(service.db)).galgame)
    await saveRating(service.db, { accountId: user.id, kind: 'galgame', workId: game }, null, {
      status: 'COMPLETED',
    })
    const page = await windowOf(user)
    await page.goto(`${service.url}/galgames`)
    const card = page.locator('.entry:has(.status-COMPLETED)')
    const [mark, title] = await Promise.all([
      card.locator('.on-list').boundingBox(),
      card.locator('.placeholder-title').boundingBox(),
    ])
    assert.ok(mark && title && mark.y + mark.height <= title.y, JSON.stringify({ mark, title }))
    await page.context().close()
  })

  it('shows the placeholder of a missing picture in the colors of the page', async () => {
    const groundIn = async (colorScheme: 'light' | 'dark') => {
      const page = await browser.newPage({ colorScheme })
      const source = `data:image/svg+xml,${encodeURIComponent(fallbackPicture('character', 1, '藤林杏'))}`
      await page.setContent(
        `<style>:root { color-scheme: light dark } body { margin: 0 }</style><img src="${source}">`,
      )
      await page
        .locator('img')
        .evaluate((image) => (image as unknown as { decode(): Promise<void> }).decode())
      const shot = await page.screenshot({ clip: { x: 0, y: 0, width: 4, height: 4 } })
      const { default: sharp } = await import('sharp')
      const [red = 0, green = 0, blue = 0] = await sharp(shot).raw().toBuffer()
      await page.close()
      return (red + green + blue) / 3
    }
    assert.ok((await groundIn('light')) > 200)
    assert.ok((await groundIn('dark')) < 80)
    assert.match(fallbackPicture('character', 1, '藤林杏'), />藤</)
  })

  it('prints dark text on white, even in the dark theme', async () => {
    const page = await windowOf(await createUser(service))
    await page.goto(`${service.url}/account/security?theme=dark`)
    await page.emulateMedia({ media: 'print' })
    const check = await page.evaluate(`({
      ink: getComputedStyle(document.querySelector('h1')).color,
      ground: getComputedStyle(document.body).backgroundColor,
      theme: document.documentElement.dataset.theme,
      hasSearch: document.querySelector('.find').checkVisibility(),
    })`)
    assert.deepEqual(check, {
      ink: 'rgb(0, 0, 0)',
      ground: 'rgb(255, 255, 255)',
      theme: 'dark',
      hasSearch: false,
    })
    await page.context().close()
  })

  it('puts the title next to the cover on phones, below a header that stays', async () => {
    const page = await browser
      .newContext({ viewport: { width: 360, height: 700 } })
      .then((context) => context.newPage())
    const game = first((await sampleWorks(service.db)).galgame)
    await page.goto(`${service.url}/galgames/${game}`)
    const box = (selector: string) => page.locator(selector).first().boundingBox()
    const [title, cover] = [await box('h1'), await box('.entry-cover')]
    assert.ok(title && cover && title.y < 200)
    assert.equal(cover.width, 110)
    assert.ok(title.x >= cover.x + cover.width && title.y < cover.y + cover.height)
    await page.evaluate('scrollTo(0, 400)')
    const header = await box('header.top')
    assert.equal(header?.y, 0)
    assert.ok((header?.height ?? 100) <= 64)
    await page.context().close()
  })

  it('fills wide windows with nine covers per row', async () => {
    const page = await browser
      .newContext({ viewport: { width: 1_920, height: 900 } })
      .then((context) => context.newPage())
    await page.goto(`${service.url}/light-novels`)
    assert.equal((await page.locator('main').boundingBox())?.width, 1_600)
    const tops = await page
      .locator('.grid > .entry')
      .evaluateAll((entries) => entries.map((entry) => entry.getBoundingClientRect().top))
    assert.ok(tops.filter((top) => top === tops[0]).length >= 9)
    await page.context().close()
  })

  it('keeps the bar for selected works at the bottom of the window', async () => {
    const page = await windowOf(await createFilledUser(service, 'Sora'), {
      viewport: { width: 1_280, height: 700 },
    })
    await page.goto(`${service.url}/library`)
    await page.locator('[data-item] .pick input').first().check()
    const bar = await page.locator('.bulk').boundingBox()
    assert.ok(bar)
    const below = 700 - bar.y - bar.height
    assert.ok(below >= 0 && below < 20, `${below} px below the bar`)
    await page.context().close()
  })

  it('shows how much of a work is read in every view of the list on phones', async () => {
    const page = await windowOf(await createFilledUser(service, 'Riku'), phone)
    for (const view of ['rows', 'covers', 'table']) {
      await page.goto(`${service.url}/library?view=${view}`)
      const read = page.locator('.own-read').first()
      assert.ok(await read.isVisible(), view)
      assert.ok(Number(await overflowOf(page, '.own-read, .entry-facts')) <= 0, view)
    }
    await page.context().close()
  })
})
