import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { findAccessibilityFaults, findFaultsOfBothThemes } from '#test/axe.ts'
import { chromiumMissing } from '#test/chromium.ts'
import { createUser, type TestUser } from '#test/authorization.ts'
import { createFilledUser } from '#test/filled-user.ts'
import { shareChromium, type TestBrowser } from '#test/shared-chromium.ts'
import { startService, type TestService } from '#test/service.ts'
import { openSignedInPage } from '#test/signed-in-page.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { listCollectionsContaining } from '../src/collections/items/item-queries.ts'
import { putItem } from '../src/collections/items/item-write-queries.ts'
import { createCollection } from '../src/collections/queries.ts'
import { queryText } from '../src/db/query.ts'

describe('a user’s library, in a real browser', { skip: chromiumMissing() }, () => {
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

  for (const javaScriptEnabled of [true, false])
    it(`lets the user add a work from its card and undo the addition, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
      const context = await browser.newContext({ javaScriptEnabled, locale: 'en-GB' })
      const page = await openSignedInPage(service, context)
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
        await panel
          .locator('[name=rate] option:checked', { hasText: '8' })
          .waitFor({ state: 'attached' })
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
          'the error is on a page of its own',
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
      const row = page.locator('.own-row', { hasText: title })
      const showsScore = (score: string) => row.locator('.own-score', { hasText: score }).waitFor()
      await showsScore('8.0')
      const edit = row.locator('a[data-mark-link]')
      if (javaScriptEnabled) {
        await row.locator('.own-link').focus()
        await page.keyboard.press('ArrowRight')
        await page.keyboard.press('Enter')
        const panel = row.locator('.mark-panel')
        await panel.locator('[name=rate]').selectOption('3.5')
        await showsScore('3.5')
        assert.deepEqual(await findAccessibilityFaults(page), [], 'the panel of a row')
        await panel.locator('[data-undo] button').click()
        await showsScore('8.0')
        await page.keyboard.press('Escape')
        await panel.waitFor({ state: 'detached' })
        assert.equal(
          await page.evaluate('document.activeElement.matches(".own-row a[data-mark-link]")'),
          true,
        )
      } else {
        await edit.click()
        await page.fill('[name=rate]', '3.5')
        await page.click('.record-form button:first-of-type')
        assert.equal(new URL(page.url()).searchParams.get('status'), 'COMPLETED')
        await showsScore('3.5')
        await page.click('.undo button')
      }
      await page.goto(`${service.url}/library`)
      await showsScore('8.0')
      const pages = ['?view=covers', '?view=table', '/history', '/statistics', '?view=rows']
      for (const path of pages.map((part) => `/library${part}`)) {
        await page.goto(service.url + path)
        if (javaScriptEnabled) assert.deepEqual(await findAccessibilityFaults(page), [], path)
      }
      const bar = page.locator('.bulk')
      assert.equal(await bar.isVisible(), !javaScriptEnabled, 'nothing is selected yet')
      await row.locator('.own-link').focus()
      if (javaScriptEnabled) {
        const stops = page.locator(
          '[data-item] :is(a, button, input:not([type=hidden])):not([tabindex="-1"])',
        )
        assert.equal(await stops.count(), 1)
        await page.keyboard.press('ArrowLeft')
      } else await page.keyboard.press('Shift+Tab')
      await page.keyboard.press('Space')
      await bar.waitFor()
      if (javaScriptEnabled) {
        await bar.locator('.chosen', { hasText: '1 selected' }).waitFor()
        assert.deepEqual(await findAccessibilityFaults(page), [], 'the bar')
      }
      await bar.locator('[name=status]').selectOption('PLAN')
      await bar.locator('button[value=status]').click()
      await page.locator('.own-row .status-PLAN').waitFor()
      assert.equal(await page.locator('.own-group h2', { hasText: 'Planned' }).count(), 1)
      await context.close()
    })

  describe('after the session has ended', () => {
    let user: TestUser
    let page: Page
    let manga: number
    before(async () => {
      manga = first((await sampleWorks(service.db)).manga)
    })
    beforeEach(async () => {
      user = await createUser(service, 'Asahina')
      page = await openSignedInPage(service, await browser.newContext({ locale: 'en-GB' }), user)
    })
    afterEach(() => page.context().close())

    /** Ends the session, makes a change, signs in again, and waits for the page that continues the change. */
    async function changeAndReturn(change: () => Promise<unknown>, continued: string) {
      await queryText(service.db, 'delete from sessions where account_id = $1', [user.id])
      await change()
      await page.waitForURL('**/sign-in')
      await page.fill('[name=email]', user.email)
      await page.fill('[name=password]', user.password)
      await page.click('main form button:not([type=button])')
      await page.waitForURL(`**${continued}`)
    }

    it('keeps a quick rating', async () => {
      await page.goto(`${service.url}/mangas/${manga}`)
      const status = page.locator('[data-mark] [name=status]')
      await changeAndReturn(() => status.selectOption('ON_HOLD'), `/library/mangas/${manga}/mark`)
      assert.equal(await page.locator('[name=status][value=ON_HOLD]').isChecked(), true)
    })

    it('offers to undo a change again', async () => {
      await page.goto(`${service.url}/mangas/${manga}`)
      await page.locator('[data-mark] [name=status]').selectOption('ON_HOLD')
      await page.locator('[data-own][data-state=saved]').waitFor()
      const undo = page.locator('form.undo button')
      await changeAndReturn(() => undo.click(), `/mangas/${manga}?done=mangas%2F${manga}`)
      await page.locator('.notice form.undo button').click()
      await page.waitForURL(`**/mangas/${manga}`)
      assert.equal(await page.locator('[data-mark] [name=status]').inputValue(), '')
    })

    it('offers to undo a change from a card again', async () => {
      await page.goto(`${service.url}/mangas`)
      await page.locator(`a[data-mark-link][href*="/mangas/${manga}"]`).click()
      const panel = page.locator('.mark-panel')
      await panel.locator('[name=status]').selectOption('ON_HOLD')
      const undo = panel.locator('[data-undo] button')
      await undo.waitFor()
      await changeAndReturn(
        () => undo.click(),
        `/library/mangas/${manga}?back=%2Fmangas&done=mangas%2F${manga}`,
      )
      await page.locator('.notice form.undo button').click()
      await page.waitForURL(`**/library/mangas/${manga}?back=%2Fmangas`)
      assert.equal(await page.locator('[name=status]:checked').getAttribute('value'), '')
    })

    it('keeps the collections selected on a card', async () => {
      const ids: number[] = []
      for (const name of ['One', 'Two', 'Three'])
        ids.push((await createCollection(service.db, user.id, { name })).id)
      const key = { accountId: user.id, key: ids[0] ?? 0 }
      await putItem(service.db, key, { kind: 'manga', id: manga }, undefined)
      await page.goto(`${service.url}/mangas`)
      await page.locator(`a[data-mark-link][href*="/mangas/${manga}"]`).click()
      await page.locator('.mark-panel a[data-menu-link]').click()
      const boxes = page.locator('.collection-menu [name=in]')
      await boxes.first().waitFor()
      const box = (id: number | undefined) =>
        page.locator(`.collection-menu [name=in][value="${id}"]`)
      await box(ids[0]).uncheck()
      for (const id of ids.slice(1)) await box(id).check()
      await page.locator('.collection-menu [name=new]').fill('Four')
      const path = `/library/collections/of/mangas/${manga}`
      await changeAndReturn(() => page.click('.collection-menu button'), path)
      assert.deepEqual(await Promise.all(ids.map((id) => box(id).isChecked())), [false, true, true])
      await page.click('.collection-menu button')
      await page.waitForURL(/\/mangas(\?|$)/)
      const holding = await listCollectionsContaining(service.db, user.id, {
        kind: 'manga',
        id: manga,
      })
      assert.equal(holding.length, 3)
      assert.ok(!holding.some(({ id }) => id === ids[0]))
    })

    it('keeps the new position of a work in a collection', async () => {
      const { id: key } = await createCollection(service.db, user.id, { name: 'Order' })
      for (const id of (await sampleWorks(service.db)).manga.slice(0, 3))
        await putItem(service.db, { accountId: user.id, key }, { kind: 'manga', id }, undefined)
      await page.goto(`${service.url}/library/collections/${key}`)
      const lines = page.locator('.order-line')
      const id = await lines.first().getAttribute('id')
      const work = id?.replace('manga-', 'mangas/')
      await lines.first().locator('.drag').focus()
      await changeAndReturn(
        () => page.keyboard.press('ArrowDown'),
        `/library/collections/${key}/${work}`,
      )
      const position = lines.first().locator('[name=position]')
      assert.equal(await lines.first().getAttribute('id'), id, 'not moved yet')
      assert.equal(await position.inputValue(), '2')
      await position.press('Enter')
      await page.waitForURL(new RegExp(`/library/collections/${key}\\?`))
      assert.equal(await lines.nth(1).getAttribute('id'), id)
    })
  })

  it('makes the list one tab stop, in which the arrow keys, Home and End move', async () => {
    const context = await browser.newContext({ locale: 'en-GB' })
    const page = await openSignedInPage(service, context, await createFilledUser(service))
    const focused = () =>
      page.evaluate<{ item: number; control: string }>(`({
        item: [...document.querySelectorAll('[data-item]')].indexOf(document.activeElement.closest('[data-item]')),
        control: document.activeElement.matches('.own-link') ? 'link' : document.activeElement.matches('input') ? 'box' : 'edit',
      })`)
    for (const view of ['rows', 'covers', 'table']) {
      await page.goto(`${service.url}/library?view=${view}`)
      const last = (await page.locator('[data-item]').count()) - 1
      assert.ok(last > 20)
      const stop = page.locator(
        '[data-item] :is(a, button, input:not([type=hidden])):not([tabindex="-1"])',
      )
      assert.equal(await stop.count(), 1, view)
      await stop.focus()
      for (const [key, item, control] of [
        ['ArrowUp', 0, 'link'],
        ['ArrowDown', 1, 'link'],
        ['ArrowLeft', 1, 'box'],
        ['End', last, 'box'],
        ['ArrowDown', last, 'box'],
        ['ArrowRight', last, 'link'],
        ['ArrowRight', last, 'edit'],
        ['Home', 0, 'edit'],
        ['ArrowDown', 1, 'edit'],
      ] as const) {
        await page.keyboard.press(key)
        assert.deepEqual(await focused(), { item, control }, `${view}: ${key}`)
      }
      assert.equal(await stop.count(), 1, view)
      await page.keyboard.press('Tab')
      assert.equal((await focused()).item, -1, 'Tab leaves the list')
      await page.keyboard.press('Shift+Tab')
      assert.deepEqual(await focused(), { item: 1, control: 'link' }, 'and returns to its work')
    }
    await context.close()
  })

  for (const javaScriptEnabled of [true, false])
    it(`lets the user choose favorites, follow a profile and read notifications, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
      const [user, other] = [
        await createFilledUser(service),
        await createFilledUser(service, 'Nagato'),
      ]
      const { manga: mangas } = await sampleWorks(service.db)
      const context = await browser.newContext({ javaScriptEnabled, locale: 'en-GB' })
      const page = await openSignedInPage(service, context, user)

      const favorites = page.locator('form[action$="/favorites"]')
      await page.goto(`${service.url}/library/profile`)
      await favorites.getByLabel('Favorite 4').fill('/nothing/here')
      await favorites.locator('button').click()
      await page.locator('.fault', { hasText: 'Enter the address of a work' }).waitFor()
      assert.equal(await favorites.getByLabel('Favorite 4').inputValue(), '/nothing/here')
      await favorites.getByLabel('Favorite 4').fill(`/mangas/${mangas[1]}`)
      await favorites.locator('button').click()
      await page.locator('.notice.success').waitFor()
      await page.goto(`${service.url}/u/yuki-${user.id}`)
      await page.locator(`.entry a[href="/mangas/${mangas[1]}"]`).first().waitFor()

      await page.goto(`${service.url}/u/yuki-${other.id}`)
      await page.click('button[value=follow]')
      await page.locator('button[value=unfollow]').waitFor()
      await page.goto(`${service.url}/library/timeline`)
      await page.locator('.review header', { hasText: 'Nagato' }).first().waitFor()
      await page.goto(`${service.url}/library/following`)
      await page.getByRole('link', { name: 'Nagato' }).first().waitFor()
      await page.getByRole('button', { name: /Unfollow.*Nagato/ }).click()
      await page.getByRole('link', { name: 'Nagato' }).waitFor({ state: 'detached' })

      await page.goto(`${service.url}/library/notifications`)
      const unread = page.locator('.own-history .tag', { hasText: 'New' })
      assert.ok((await unread.count()) > 0)
      await page.getByRole('button', { name: 'Mark all as read' }).click()
      await unread.first().waitFor({ state: 'detached' })
      await page.getByLabel('New followers').uncheck()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.locator('.notice.success').waitFor()
      assert.equal(await page.getByLabel('New followers').isChecked(), false)
      await context.close()
    })

  it('lets the user order a collection by keyboard and by dragging, and shows it under its owner’s name', async () => {
    const context = await browser.newContext({ locale: 'en-GB' })
    const page = await openSignedInPage(service, context)
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
      page
        .locator('.order-line')
        .evaluateAll((lines) => lines.map(({ id }) => Number(id.split('-').at(-1))))
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
    assert.deepEqual(await findFaultsOfBothThemes(page), [], 'the collection to change')
    const url = page.url().replace('/library', '')

    await page.goto(`${service.url}/library/profile`)
    for (const box of ['is_shown', 'list', 'statistics', 'reviews', 'collections'])
      await page.check(`#${box}`)
    await page.fill('#name', 'by-hand')
    await page.click('.record-form button')
    for (const path of [
      '/u/by-hand',
      '/u/by-hand/list',
      '/u/by-hand/collections',
      new URL(url).pathname,
    ]) {
      assert.equal((await page.goto(service.url + path))?.status(), 200, path)
      assert.deepEqual(await findFaultsOfBothThemes(page), [], path)
    }
    await context.close()
  })
})
