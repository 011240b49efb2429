import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { findFaultsOfBothThemes } from '#test/axe.ts'
import { createUser } from '#test/authorization.ts'
import { chromiumMissing } from '#test/chromium.ts'
import { shareChromium, type TestBrowser } from '#test/shared-chromium.ts'
import { makeTestPicture, startPictureOrigin, type PictureOrigin } from '#test/picture-origin.ts'
import { first } from '#test/sample-works.ts'
import { waitForTotals } from '#test/ratings.ts'
import { startService, type TestService } from '#test/service.ts'
import { signInCookie, openSignedInPage } from '#test/signed-in-page.ts'
import { queryText } from '../../db/query.ts'
import { saveRating } from '../../ratings/own/queries.ts'

type Ids = Record<'galgame' | 'novel' | 'manga' | 'person' | 'producer' | 'character', number>

describe('entry pages in a browser', { skip: chromiumMissing() }, () => {
  let service: TestService
  let origin: PictureOrigin
  let browser: TestBrowser
  let ids: Ids

  before(async () => {
    origin = await startPictureOrigin()
    service = await startService({ environment: { IMAGE_ORIGINS: origin.url } })
    const { db } = service
    const { rows } = await sql<Ids>`
      select
        (select entry_id from source_records where source = 'vndb' and kind = 'galgame' and external_id = 'v4') as galgame,
        (select light_novel_id from light_novel_volumes group by 1 order by count(*) desc, 1 limit 1) as novel,
        (select manga_id from manga_volumes group by 1 order by count(*) desc, 1 limit 1) as manga,
        (select person_id from galgame_character_actors group by 1 order by count(*) desc, 1 limit 1) as person,
        (select producer_id from galgame_producers group by 1 order by count(*) desc, 1 limit 1) as producer,
        (select min(character_id) from galgame_characters) as character`.execute(db)
    const [found] = rows
    assert.ok(found)
    ids = found
    const url = origin.show('/a.jpg', await makeTestPicture())
    const media = (target: string, sexual = 0) => ({
      url: target,
      width: 400,
      height: 600,
      sexual,
      violence: 0,
      votes: 1,
    })
    const covers = (...list: object[]) => JSON.stringify(list)
    await sql`update mangas set covers = ${covers(media(`${url}?graded`, 1))}::jsonb`.execute(db)
    await sql`update light_novels set covers = ${covers(media(`${origin.url}/away`))}::jsonb`.execute(
      db,
    )
    await sql`update galgames set covers = ${covers(media(url))}::jsonb, images = ${covers(media(url), media(`${url}?graded`, 2))}::jsonb`.execute(
      db,
    )
    await sql`update characters set image = ${JSON.stringify(media(url))}::jsonb where id % 2 = 0`.execute(
      db,
    )
    origin.show('/a.jpg?graded', await makeTestPicture())
    const app = await service.createApp()
    for (const [rate, is_spoiler] of [
      [8, false],
      [9.5, true],
    ] as const) {
      const { id: accountId } = await createUser(service)
      const key = { accountId, kind: 'galgame', workId: ids.galgame } as const
      await saveRating(db, key, app.clientId, {
        rate,
        rate_content: 'https://example.org',
        is_spoiler,
        rate_music: 7,
      })
    }
    await waitForTotals(db)
    browser = await shareChromium()
  })
  after(async () => {
    await browser?.close()
    await service?.close()
    await origin?.close()
  })

  const paths = () => [
    `/galgames/${ids.galgame}`,
    `/light-novels/${ids.novel}`,
    `/mangas/${ids.manga}`,
    `/people/${ids.person}`,
    `/producers/${ids.producer}`,
    `/characters/${ids.character}`,
    `/galgames/${ids.galgame}/characters`,
    `/galgames/${ids.galgame}/staff`,
    `/galgames/${ids.galgame}/reviews`,
  ]
  /** URL that a shown picture was loaded from; empty if it is not loaded. */
  const shownFrom = (page: Page, selector: string) =>
    page.evaluate<string>(`(async () => {
      const image = document.querySelector(${JSON.stringify(selector)})
      await image.decode().catch(() => {})
      return image.naturalWidth > 0 ? image.currentSrc : ''
    })()`)

  /** Measures a page's horizontal overflow, in pixels, and lists the elements that moved while its pictures loaded. */
  const SETTLE = `(async () => {
    for (const image of document.images) image.loading = 'eager'
    await Promise.all([...document.images].map((image) => image.decode().catch(() => {})))
    let shift = 0
    const moved = []
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        shift += entry.value
        for (const { node } of entry.sources) moved.push((node?.outerHTML ?? '').slice(0, 200))
      }
    })
    observer.observe({ type: 'layout-shift', buffered: true })
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    const wide = [...document.querySelectorAll('body *')].filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5)
    return { overflow: document.documentElement.scrollWidth - innerWidth, shift, moved, wide: wide.length && document.documentElement.scrollWidth > innerWidth ? wide[0].outerHTML.slice(0, 200) : '' }
  })()`

  it('opens the covers of volumes and the other covers of a work in the dialog, and unfolds all tags', async () => {
    const { db } = service
    const media = {
      url: `${origin.url}/a.jpg`,
      width: 400,
      height: 600,
      sexual: 0,
      violence: 0,
      votes: 1,
    }
    const tags = Array.from({ length: 30 }, (_, index) => ({
      name: `motif ${index}`,
      likes: 30 - index,
    }))
    const novel = first(
      await queryText<{ id: number }>(
        db,
        'select min(light_novel_id) as id from light_novel_volumes where light_novel_id <> $1',
        [ids.novel],
      ),
    ).id
    const put = (statement: string, value: object) =>
      queryText(db, statement, [novel, JSON.stringify(value)])
    await put('update light_novels set covers = $2::jsonb where id = $1', [
      media,
      media,
      { ...media, sexual: 2 },
    ])
    await put('update works set tags = $2::jsonb where id = $1', tags)
    await put('update light_novel_volumes set covers = $2::jsonb where light_novel_id = $1', [
      media,
    ])
    const page = await browser.newPage()
    await page.goto(`${service.url}/light-novels/${novel}`)
    const covers = page.locator('.covers')
    assert.equal(await covers.locator('li').count(), 2)
    assert.equal(await covers.locator('a').count(), 1, 'a graded cover stays blurred')
    await page.locator('.volumes a[data-view]').first().click()
    const name = await page.locator('dialog.viewer').getAttribute('aria-label')
    assert.match(name ?? '', /^Cover: ./)
    assert.deepEqual(await findFaultsOfBothThemes(page), [])
    await page.keyboard.press('Escape')
    assert.equal(await page.getByRole('link', { name: 'motif 29' }).isVisible(), false)
    await page.getByText('Show 6 more tags').click()
    await page.getByRole('link', { name: 'motif 29' }).waitFor()
    assert.deepEqual(await findFaultsOfBothThemes(page), [])
    await page.close()
  })

  it('pass accessibility checks in both themes, have no layout shift, and do not scroll sideways at 320 pixels', async () => {
    const page = await browser.newPage()
    for (const path of paths()) {
      for (const width of [320, 1_280]) {
        await page.setViewportSize({ width, height: 800 })
        await page.goto(service.url + path, { waitUntil: 'load' })
        const settled = await page.evaluate(SETTLE)
        assert.deepEqual(
          { path, settled },
          { path, settled: { overflow: 0, shift: 0, moved: [], wide: '' } },
        )
      }
      assert.deepEqual(await findFaultsOfBothThemes(page), [], path)
    }
    await page.close()
  })

  it('load pictures only from this service, and show a placeholder if the source has none', async () => {
    const page = await browser.newPage()
    const hosts = new Set<string>()
    page.on('request', (request) => void hosts.add(new URL(request.url()).origin))
    await page.goto(`${service.url}/galgames/${ids.galgame}`)
    assert.match(await shownFrom(page, '.entry-image img'), /-(320|640)\.avif/)
    const missing = page.waitForResponse(/\/images\/light-novels\//)
    await page.goto(`${service.url}/light-novels/${ids.novel}`)
    assert.equal((await missing).status(), 502)
    assert.notEqual(await shownFrom(page, '.entry-image img'), '')
    assert.deepEqual([...hosts], [service.url])
    await page.close()
  })

  it('reveal a graded picture on request, but never to a guest', async () => {
    const guest = await browser.newPage()
    const graded = `/mangas/${ids.manga}`
    await guest.goto(service.url + graded)
    assert.match(await shownFrom(guest, '.entry-image img'), /-160-blurred\./)
    assert.equal(await guest.locator('.entry-image summary').count(), 0)
    await guest.close()

    const context = await browser.newContext()
    const page = await openSignedInPage(service, context)
    const plain: string[] = []
    page.on('request', (request) => {
      if (/\/images\/mangas\/.*\/0-(160|320|640)\./.test(request.url())) plain.push(request.url())
    })
    await page.goto(service.url + graded, { waitUntil: 'networkidle' })
    assert.deepEqual(plain, [])
    await page.evaluate('window.isStillHere = true')
    await page.getByText('Show image').click()
    await page.getByText('Hide image').waitFor()
    assert.match(await shownFrom(page, '.entry-image img'), /-(320|640)\./)
    assert.equal(plain.length, 1)
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Hide image')
    await page.keyboard.press('Enter')
    await page.getByText('Show image').waitFor()
    assert.match(await shownFrom(page, '.entry-image img'), /-160-blurred\./)
    assert.equal(await page.evaluate('window.isStillHere'), true)
    await context.close()
  })

  it('do not contain the URL of a graded picture until its viewer reveals it, even without scripts', async () => {
    const cookie = await signInCookie(service, { nsfw: true })
    const path = `/mangas/${ids.manga}/reviews?order=top`
    const htmlOf = async (target: string, headers: Record<string, string>) =>
      (await fetch(service.url + target, { headers })).text()
    const plain = new RegExp(`/images/mangas/${ids.manga}/0-\\d+\\.`)
    const before = await htmlOf(path, { cookie })
    assert.doesNotMatch(before, plain)
    const [, link = ''] = /href="([^"]*)"[^>]*data-graded/.exec(before) ?? []
    assert.equal(link, `${path}&amp;graded=shown`)
    const requested = `${path}&graded=shown`
    const after = await htmlOf(requested, { cookie })
    assert.match(after, plain)
    assert.match(after, new RegExp(`href="${path.replace('?', '\\?')}"[^>]*data-graded`))
    for (const headers of [{}, { cookie: await signInCookie(service, { nsfw: false }) }])
      assert.doesNotMatch(await htmlOf(requested, headers), plain, 'a guest asks in vain')
    // Link previews are always blurred.
    assert.doesNotMatch(await htmlOf(`/mangas/${ids.manga}`, { cookie }), plain)
  })

  const whole = (id: number, index: number) =>
    new RegExp(`/images/galgame-screenshots/${id}/${index}-\\d+\\.`)

  it('do not contain the URL of a graded screenshot until that screenshot is revealed', async () => {
    const cookie = await signInCookie(service, { nsfw: true })
    const htmlOf = async (query: string, headers: Record<string, string> = { cookie }) =>
      (await fetch(`${service.url}/galgames/${ids.galgame}${query}`, { headers })).text()
    const graded = whole(ids.galgame, 1)
    const before = await htmlOf('')
    assert.match(before, whole(ids.galgame, 0), 'one that is not graded is there')
    assert.doesNotMatch(before, graded)
    const linkIn = (html: string) => /href="([^"]*)" rel="nofollow" data-graded="2"/.exec(html)?.[1]
    assert.equal(linkIn(before), `/galgames/${ids.galgame}?graded=2#picture-2`)
    const after = await htmlOf('?graded=2')
    assert.match(
      after,
      new RegExp(`<a href="${graded.source.replace('\\d+', '1280')}webp`),
      'and leads to the whole',
    )
    assert.equal(linkIn(after), `/galgames/${ids.galgame}#picture-2`)
    assert.match(await htmlOf('?graded=shown.2&x=1'), graded)
    for (const other of [
      '?graded=shown',
      '?graded=3',
      '?graded=x2',
      '?graded=2%26lang%3Dja',
      '?graded=2.',
    ])
      assert.equal(graded.test(await htmlOf(other)), other === '?graded=2.', other)
    const foreign = await htmlOf('?graded=3.%22%3E%26lang%3Dja')
    assert.equal(linkIn(foreign), `/galgames/${ids.galgame}?graded=3.2#picture-2`, 'of names alone')
    for (const headers of [{}, { cookie: await signInCookie(service, { nsfw: false }) }]) {
      const html = await htmlOf('?graded=2', headers)
      assert.doesNotMatch(html, graded, 'a guest asks in vain')
      assert.doesNotMatch(html, /data-graded/)
    }
  })

  it('reveal a graded screenshot in place and hide it again', async () => {
    const context = await browser.newContext()
    const page = await openSignedInPage(service, context)
    const requests: string[] = []
    page.on('request', (request) => {
      if (whole(ids.galgame, 1).test(request.url())) requests.push(request.url())
    })
    await page.goto(`${service.url}/galgames/${ids.galgame}`)
    const shots = page.locator('.screenshots')
    await shots.scrollIntoViewIfNeeded()
    assert.equal(await shots.locator('li').count(), 2)
    await page.evaluate('window.isStillHere = true')
    assert.deepEqual(requests, [])
    await shots.getByText('Show image').click()
    await shots.getByText('Hide image').waitFor()
    assert.match(
      await shownFrom(page, '.screenshots li:last-child img'),
      /\/1-(320|640|1280)\.avif/,
    )
    assert.match(await shownFrom(page, '.screenshots li:first-child img'), /\/0-/)
    assert.match(String(await page.evaluate('document.activeElement.textContent')), /^Hide image/)
    assert.deepEqual(await findFaultsOfBothThemes(page), [])
    await page.keyboard.press('Enter')
    await shots.getByText('Show image').waitFor()
    assert.match(await shownFrom(page, '.screenshots li:last-child img'), /-blurred\./)
    assert.equal(await page.evaluate('window.isStillHere'), true)
    await context.close()
  })

  it('open pictures in a dialog, which the keyboard controls', async () => {
    const page = await browser.newPage()
    await page.setViewportSize({ width: 320, height: 640 })
    await page.goto(`${service.url}/galgames/${ids.galgame}`)
    const links = page.locator('a[data-view]')
    // The cover and the screenshot that is not graded.
    assert.equal(await links.count(), 2)
    const shown = page.locator('dialog.viewer[open]')
    const place = () => shown.locator('[role=status]').innerText()
    await links.last().focus()
    await page.keyboard.press('Enter')
    await shown.waitFor()
    assert.equal(await place(), '2 / 2')
    assert.match(await shownFrom(page, '.viewer img'), /galgame-screenshots/)
    assert.deepEqual(await findFaultsOfBothThemes(page), [])
    await page.keyboard.press('ArrowRight')
    assert.equal(await place(), '1 / 2')
    assert.match(await shownFrom(page, '.viewer img'), /\/images\/galgames\//)
    await page.keyboard.press('ArrowLeft')
    assert.equal(await place(), '2 / 2')
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
    await page.keyboard.press('Escape')
    await shown.waitFor({ state: 'detached' })
    assert.equal(
      await page.evaluate(
        'document.activeElement === [...document.querySelectorAll("a[data-view]")].at(-1)',
      ),
      true,
    )
    await links.first().click()
    await shown.getByRole('button', { name: 'Close' }).click()
    await shown.waitFor({ state: 'detached' })
    await page.close()

    const plain = await browser.newContext({ javaScriptEnabled: false })
    const without = await plain.newPage()
    await without.goto(`${service.url}/galgames/${ids.galgame}`)
    await without.locator('a[data-view]').first().click()
    await without.waitForURL(/\/images\/galgames\/\d+\/0-1280\.webp/)
    await plain.close()
  })
})
