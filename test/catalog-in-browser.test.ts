import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { findFaultsOfBothThemes, findFaultsOfLanguage } from '#test/axe.ts'
import { chromiumMissing } from '#test/chromium.ts'
import { createFilledUser } from '#test/filled-user.ts'
import { shareChromium, type TestBrowser } from '#test/shared-chromium.ts'
import { fetchSitemapPaths } from '#test/sitemap-paths.ts'
import { startService, type TestService } from '#test/service.ts'
import { openSignedInPage } from '#test/signed-in-page.ts'
import { sampleWorks } from '#test/sample-works.ts'
import { LANGUAGES } from '../src/i18n/languages.ts'

describe('the catalog in a real browser', { skip: chromiumMissing() }, () => {
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

  const isDark = (page: Page) =>
    page
      .evaluate('getComputedStyle(document.documentElement).colorScheme')
      .then((scheme) => scheme === 'dark')

  for (const javaScriptEnabled of [true, false])
    it(`searches, filters and applies preferences, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
      const context = await browser.newContext({ javaScriptEnabled, locale: 'en-GB' })
      const page = await context.newPage()
      const failed: string[] = []
      page.on('console', (line) => line.type() === 'error' && failed.push(line.text()))
      await page.goto(service.url)
      await page.fill('[name=q]', 'suzumiya haruhi')
      if (javaScriptEnabled) {
        await page.locator('.found a', { hasText: 'Haruhi Suzumiya' }).first().waitFor()
        await page.keyboard.press('ArrowDown')
        assert.match(
          String(await page.evaluate('document.activeElement.pathname')),
          /^\/light-novels\/\d+$/,
        )
        await page.keyboard.press('Escape')
        assert.equal(await page.locator('.found').isVisible(), false)
        assert.equal(await page.evaluate('document.activeElement.name'), 'q')
      }
      await page.keyboard.press('Enter')
      await page.locator('h1', { hasText: 'Search: suzumiya haruhi' }).waitFor()
      assert.equal(await page.locator('.hits .name').first().innerText(), 'Haruhi Suzumiya')

      await page.click('.kinds summary')
      await page.click('.kinds a[href="/galgames"]')
      for (const [name, value] of [
        ['from', '2004'],
        ['to', '2004'],
        ['sort', 'name'],
      ] as const) {
        await page.selectOption(`[name=${name}]`, value)
        if (javaScriptEnabled) await page.waitForURL(`**${name}=${value}*`)
      }
      if (!javaScriptEnabled) await page.click('.filters button')
      await page.locator('.chips.active').waitFor()
      assert.equal(new URL(page.url()).search, '?from=2004&to=2004&sort=name')
      assert.ok((await page.locator('.entry-title').allInnerTexts()).includes('CLANNAD'))
      await page.click('.list-head a:has-text("Table")')
      assert.equal(await page.locator('table.entries').count(), 1)

      await page.click('.foot a[lang=ja]')
      assert.equal(await page.locator('html').getAttribute('lang'), 'ja')
      assert.equal(new URL(page.url()).searchParams.get('from'), '2004')
      await page.click('.foot a:has-text("ダーク")')
      assert.equal(await isDark(page), true)

      await page.goto(`${service.url}/no/such/page`)
      await page.fill('main [name=q]', 'clannad')
      await page.click('main form button')
      assert.equal(await page.locator('.hits .name').first().innerText(), 'CLANNAD')
      await page.click('.brand')
      assert.equal(new URL(page.url()).pathname, '/')
      // A page that does not exist, and pictures, whose sources tests do not request.
      assert.deepEqual(
        failed.filter((line) => !/404/.test(line)),
        [],
      )
      await context.close()
    })

  it('moves through the header from left to right by keyboard, and to the search box with "/"', async () => {
    const page = await browser.newPage({ locale: 'en-GB', viewport: { width: 1_280, height: 900 } })
    await page.goto(`${service.url}/galgames`)
    const places: number[] = []
    // The last press leaves the header for a link, not for a field, in which "/" is text.
    for (let presses = 0; presses < 9; presses += 1) {
      await page.keyboard.press('Tab')
      const left = await page.evaluate(
        `document.activeElement.closest('.bar') && document.activeElement.getBoundingClientRect().left`,
      )
      if (typeof left === 'number') places.push(left)
    }
    assert.ok(places.length >= 5, places.join())
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    )
    const box = page.locator('#find')
    assert.equal(await box.getAttribute('aria-keyshortcuts'), '/')
    assert.equal(await box.getAttribute('title'), 'Search (press /)')
    await page.keyboard.press('/')
    assert.equal(await page.evaluate('document.activeElement.id'), 'find')
    await page.context().close()
  })

  /** Pages missing from the sitemap. */
  const PATHS = [
    '/galgames?view=table&year=2004&tag=x',
    '/light-novels?page=2',
    '/galgames?tag=Romance&tag=Family&without=x&from=1990&to=2020',
    '/people?sort=name&starts=k',
    '/characters?view=table',
    '/producers?view=table',
    '/search',
    '/search?q=no',
    '/search?q=zzxxyyqqwwvv',
    '/galgames?page=-1',
    '/no/such/page',
    '/offline',
    '/docs?q=collection',
    '/docs/putIntoCollection',
    '/docs/schemas/Galgame',
    '/docs/errors',
    '/docs/callback?code=x&state=y',
    '/library/import',
    '/reports',
    '/report?profile=1',
    '/console',
    '/console/new',
  ]

  it(
    'has no layout shifts while it loads, wherever the response pauses',
    { timeout: 240_000 },
    async () => {
      const context = await browser.newContext({ locale: 'en-GB' })
      const page = await openSignedInPage(service, context)
      const { galgame: games } = await sampleWorks(service.db)
      const seen = await browser.newPage()
      for (const [shown, path] of [
        [seen, '/'],
        [seen, '/galgames'],
        [seen, `/galgames/${games[0]}`],
        [page, '/light-novels'],
      ] as const) {
        await shown.goto(service.url + path)
        for (const width of [1_280, 390]) {
          await shown.setViewportSize({ width, height: 900 })
          assert.deepEqual(await shown.evaluate(MOVES), [], `${path} at ${width}`)
        }
      }
      await seen.close()
      await context.close()
    },
  )

  it('passes axe-core and fits a narrow screen, in both themes', { timeout: 360_000 }, async () => {
    const context = await browser.newContext({ locale: 'en-GB' })
    const user = await createFilledUser(service, 'Somebody with rather a long name')
    const page = await openSignedInPage(service, context, user)
    const listed = await fetchSitemapPaths(service.url)
    for (const path of new Set(['/account/preferences', ...listed, ...PATHS, ...user.paths])) {
      await page.goto(service.url + path)
      assert.deepEqual(await findFaultsOfBothThemes(page), [], path)
    }
    await page.setViewportSize({ width: 1_280, height: 900 })
    await page.goto(service.url)
    await page.fill('[name=q]', 'no')
    await page.locator('.found a').first().waitFor()
    assert.deepEqual(await findFaultsOfBothThemes(page), [], 'search suggestions')
    await context.close()
  })

  it(
    'fits a phone and labels its controls in every other language',
    { timeout: 240_000 },
    async () => {
      const context = await browser.newContext()
      const page = await openSignedInPage(service, context)
      for (const language of LANGUAGES.filter((other) => other !== 'en'))
        for (const path of ['/', '/galgames', '/library', '/account/preferences', '/console/new']) {
          await page.goto(`${service.url}${path}?ui_locales=${language}`)
          assert.equal(await page.locator('html').getAttribute('lang'), language, path)
          assert.deepEqual(await findFaultsOfLanguage(page), [], `${path} in ${language}`)
        }
      await context.close()
    },
  )

  it('stays within its size budget, with a cold and a warm cache', async () => {
    const sizeOf = async (path: string) => {
      const response = await fetch(service.url + path, {
        headers: { accept: 'text/html', 'accept-encoding': 'br' },
      })
      // Bytes transferred; the body is already decompressed.
      return { sent: Number(response.headers.get('content-length')), text: await response.text() }
    }
    for (const path of [
      '/',
      '/light-novels',
      '/search?q=no',
      '/characters',
      '/guide/start',
      '/docs',
      '/docs/getGalgame',
      '/galgames/1',
      '/characters/1',
    ]) {
      const page = await sizeOf(path)
      // With `IMAGES=off` a title replaces each picture, and nothing is requested.
      assert.doesNotMatch(page.text, /\/images\//, path)
      const assets = [...page.text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(
        ([, url = '']) => url,
      )
      const sizes = await Promise.all(assets.map(async (url) => (await sizeOf(url)).sent))
      assert.ok(page.sent > 0 && page.sent <= 20_000, `${path}: ${page.sent}`)
      assert.ok(
        page.sent + sizes.reduce((sum, size) => sum + size, 0) <= 60_000,
        `${path} with ${sizes.join()}`,
      )
    }
  })
})

/**
 * Parses the page's HTML again, stopping before every tag, and compares the positions of elements in view with their
 * final positions. A browser may paint at any of these points, and `:last-child` never matches before the parent is
 * closed.
 *
 * @returns the elements that move
 */
const MOVES = `(async () => {
  const text = await (await fetch(location.href, { headers: { accept: 'text/html' } })).text()
  const start = text.indexOf('<body')
  const cuts = [...text.matchAll(/<[a-z]/g)].map(({ index }) => index).filter((index) => index > start)
  const show = (part) => {
    const parser = document.implementation.createHTMLDocument('')
    parser.open()
    parser.write(part)
    document.body.replaceWith(document.adoptNode(parser.body))
    return parser
  }
  const places = () =>
    [...document.querySelectorAll('body *')].map((element) => ({ element, box: element.getBoundingClientRect() }))
  show(text).close()
  scrollTo(0, 0)
  const last = places()
  const inView = last.filter(({ box }) => box.top < innerHeight).length
  const moved = new Set()
  let shown = cuts[0]
  const parser = show(text.slice(0, shown))
  for (const cut of cuts) {
    parser.write(text.slice(shown, cut))
    shown = cut
    const now = places()
    now.forEach(({ element, box }, index) => {
      const end = last[index]?.box
      if (!end || box.width <= 1 || box.height === 0 || box.top > innerHeight || end.width === 0) return
      if (Math.abs(box.left - end.left) > 3 || Math.abs(box.top - end.top) > 3)
        moved.add(element.tagName + '.' + element.className + ' before ' + text.slice(cut, cut + 40))
    })
    if (now.length > inView) break
  }
  parser.write(text.slice(shown))
  parser.close()
  if (places().length !== last.length) moved.add('the page is another than it was')
  return [...moved]
})()`
