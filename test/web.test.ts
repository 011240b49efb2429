import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { catalogAnswer, createReader } from '#test/authorization.ts'
import { findAccessibilityFaults, findFaultsOfBothLooks } from '#test/axe.ts'
import { chromiumMissing, startChromium } from '#test/chromium.ts'
import { startService, type TestService } from '#test/service.ts'
import { sampleWorks } from '#test/works.ts'

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
    '/library/collections',
    '/library/profile',
    '/guide',
    '/guide/sign-in',
    '/guide/clients',
    '/docs?q=collection',
    '/docs/putIntoCollection',
    '/docs/schemas/Galgame',
    '/docs/errors',
    '/docs/callback?code=x&state=y',
    '/library/import',
    '/reports',
    '/report?kind=PROFILE&id=1',
    '/console',
    '/console/new',
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
        const at = page.url()
        const collections = panel.locator('a[data-menu-link]')
        await collections.click()
        const menu = panel.locator('.collection-menu')
        await menu.locator('[name=new]').fill('From a card')
        assert.deepEqual(await findAccessibilityFaults(page), [], 'the collections of a card')
        await menu.locator('button').click()
        assert.equal(await menu.getByLabel('From a card').isChecked(), true)
        await panel.locator('[role=status]', { hasText: '✓' }).last().waitFor()
        await collections.click()
        await menu.waitFor({ state: 'detached' })
        await collections.click()
        await menu.locator('[name=new]').fill('x'.repeat(300))
        await menu.locator('button').click()
        await page.locator('main [role=alert]').waitFor()
        assert.match(
          page.url(),
          /\/library\/collections\/of\//,
          'what is refused is told on the page of its own',
        )
        await page.goto(at)
        await link.click()
        await panel.locator('a[data-menu-link]').waitFor()
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

  it('orders a collection by keyboard and by dragging, and shows it with its reader', async () => {
    const context = await browser.newContext({ locale: 'en-GB' })
    const page = await signedIn(context)
    const { light_novel: novels } = await sampleWorks(service.db)
    for (const id of novels.slice(0, 3)) {
      await page.goto(`${service.url}/light-novels/${id}`)
      await page.locator('.menu-of-collections > summary').click()
      assert.equal(id === novels[0] ? (await findAccessibilityFaults(page)).join() : '', '')
      const menu = page.locator('.collection-menu')
      if (id === novels[0]) await menu.locator('[name=new]').fill('By hand')
      else await menu.getByLabel('By hand').check()
      await menu.locator('button').click()
      await page.locator('.menu-of-collections .amount', { hasText: '1' }).waitFor()
    }
    await page.goto(`${service.url}/library/collections`)
    await page.getByRole('link', { name: 'By hand' }).click()
    const order = () =>
      page.locator('.order-line').evaluateAll((lines) => lines.map(({ id }) => Number(id.split('-').at(-1))))
    const [first = 0, second = 0, third = 0] = novels
    assert.deepEqual(await order(), [third, second, first])
    const handles = page.locator('.drag')
    const state = page.locator('[data-moved]')
    await handles.first().focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await state.filter({ hasText: '3' }).waitFor({ state: 'attached' })
    await page.reload()
    assert.deepEqual(await order(), [second, first, third])
    const [from, to] = [await handles.nth(2).boundingBox(), await handles.nth(0).boundingBox()]
    assert.ok(from && to)
    await page.mouse.move(from.x + 5, from.y + 5)
    await page.mouse.down()
    await page.mouse.move(to.x + 5, to.y, { steps: 8 })
    await page.mouse.up()
    await state.filter({ hasText: '1' }).waitFor({ state: 'attached' })
    await page.reload()
    assert.deepEqual(await order(), [third, second, first])
    assert.deepEqual(await findFaultsOfBothLooks(page), [], 'the collection to change')
    const address = page.url().replace('/library', '')

    await page.goto(`${service.url}/library/profile`)
    for (const box of ['is_shown', 'list', 'statistics', 'reviews', 'collections'])
      await page.check(`#${box}`)
    await page.fill('#name', 'by-hand')
    await page.click('.record-form button')
    for (const path of [
      '/u/by-hand',
      '/u/by-hand/list',
      '/u/by-hand/collections',
      new URL(address).pathname,
    ]) {
      assert.equal((await page.goto(service.url + path))?.status(), 200, path)
      assert.deepEqual(await findFaultsOfBothLooks(page), [], path)
    }
    await context.close()
  })

  it('stands still as it arrives, wherever it is cut', { timeout: 240_000 }, async () => {
    const context = await browser.newContext({ locale: 'en-GB' })
    const page = await signedIn(context)
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
  })

  it('has its API tried by who signs in on the page, and not by who did not', async () => {
    const { email, password } = await createReader(service, 'Somebody who tries')
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
    await page.fill('[name=email]', email)
    await page.fill('[name=password]', password)
    await page.click('form:has([name=password]) button')
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

  it(
    'has nothing that axe-core or a narrow screen would mind, in either theme',
    { timeout: 240_000 },
    async () => {
      const context = await browser.newContext({ locale: 'en-GB' })
      const page = await signedIn(context)
      const languages = ['ja', 'zh-Hans'].map((language) => `/galgames?ui_locales=${language}`)
      for (const path of ['/account/preferences', ...PATHS, ...languages]) {
        await page.goto(service.url + path)
        assert.deepEqual(await findFaultsOfBothLooks(page), [], path)
      }
      await page.goto(service.url)
      await page.fill('[name=q]', 'no')
      await page.locator('.found a').first().waitFor()
      assert.deepEqual(await findFaultsOfBothLooks(page), [], 'search as somebody types')
      await context.close()
    },
  )

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
      '/guide/start',
      '/docs',
      '/docs/getGalgame',
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

/**
 * Lets a parser make the page of its own HTML again, stopping before every tag, and compares where what is in view stands
 * with where it ends. A browser may paint at any of these places, and as then nothing is the last of its parent before
 * that is closed. @returns what moves
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
