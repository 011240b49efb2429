import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { findAccessibilityFaults } from '#test/axe.ts'
import { chromiumMissing } from '#test/chromium.ts'
import { shareChromium, type TestBrowser } from '#test/shared-chromium.ts'
import { makeTestPicture, startPictureOrigin, type PictureOrigin } from '#test/picture-origin.ts'
import { readFixture } from '#test/list-imports.ts'
import { waitForLink } from '#test/mailbox.ts'
import { writeRating } from '#test/ratings.ts'
import { startService, type TestService } from '#test/service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { findAccountByEmail } from '../src/accounts/queries.ts'
import { queryText } from '../src/db/query.ts'
import { findWorkRef } from '../src/ratings/own/lists/library-queries.ts'

const NOVEL = 'Haruhi Suzumiya'

describe('a user’s journey from sign-up to a public profile', { skip: chromiumMissing() }, () => {
  let service: TestService
  let browser: TestBrowser
  let list: Buffer
  let origin: PictureOrigin
  /** Works with graded covers: one visible to everyone, one for adults only. */
  let graded: { open: number; adult: number }
  before(async () => {
    origin = await startPictureOrigin()
    const environment = { IMAGE_REQUESTS_PER_MINUTE: '1000000', IMAGE_ORIGINS: origin.url }
    service = await startService({ environment })
    const { db } = service
    // No other part of this journey uses these works.
    graded = {
      open: (await sampleWorks(db)).manga.at(-1) ?? 0,
      adult: first((await sampleWorks(db, true)).galgame),
    }
    const url = origin.show('/graded.jpg', await makeTestPicture())
    const cover = { url, width: 400, height: 600, sexual: 2, violence: 0, votes: 1 }
    // Remove the covers of the sample, so that no source is requested.
    for (const table of ['galgames', 'light_novels', 'mangas'])
      await queryText(
        db,
        `update ${table} set covers = case when id = any ($1::bigint[]) then $2::jsonb else '[]' end`,
        [Object.values(graded), JSON.stringify([cover])],
      )
    await queryText(db, `update galgames set images = '[]'`, [])
    for (const table of ['people', 'characters'])
      await queryText(db, `update ${table} set image = null`, [])
    await queryText(db, `update light_novel_volumes set covers = '[]'`, [])
    browser = await shareChromium()
    list = await readFixture('vndb-list.xml')
  })
  after(async () => {
    await browser?.close()
    await service?.close()
    await origin?.close()
  })

  for (const javaScriptEnabled of [true, false])
    it(
      `works ${javaScriptEnabled ? 'with' : 'without'} JavaScript`,
      { timeout: 240_000 },
      async () => {
        const context = await browser.newContext({ javaScriptEnabled, locale: 'en-GB' })
        const guests = await browser.newContext({ javaScriptEnabled, locale: 'en-GB' })
        const [page, guest] = [await context.newPage(), await guests.newPage()]
        // Once per page, because axe-core finds the same without scripts.
        const check = async (name: string) => {
          if (javaScriptEnabled) assert.deepEqual(await findAccessibilityFaults(page), [], name)
        }
        const email = `journey-${String(javaScriptEnabled)}@example.org`
        await signUp(page, email, check)
        const novel = await findNovel(page, javaScriptEnabled, check)
        const review = `Ends too soon, says ${email}`
        await keepRecord(page, { novel, review, hasScript: javaScriptEnabled, check })
        await importList(page, check)
        const adult = await recordAdult(email)
        await seeGraded(page, guest, { adult, look: check })

        await guest.goto(novel)
        await guest.locator('.review', { hasText: review }).waitFor()
        await guest.goto(`${service.url}/library`)
        assert.equal(new URL(guest.url()).pathname, '/sign-in')
        for (const path of ['/library/import', '/library/export.json', '/library/history']) {
          await guest.goto(service.url + path)
          assert.equal(new URL(guest.url()).pathname, '/sign-in', path)
        }
        await share(page, guest, {
          name: `yuki-${String(javaScriptEnabled)}`,
          review,
          adult,
          check,
        })
        await Promise.all([context.close(), guests.close()])
      },
    )

  type PageCheck = (name: string) => Promise<void>

  async function signUp(page: Page, email: string, check: PageCheck) {
    await page.goto(`${service.url}/sign-up`)
    await page.fill('[name=email]', email)
    await page.fill('[name=name]', 'Yuki')
    await page.fill('[name=password]', 'a long enough one')
    await page.click('form:has([name=password]) button')
    await check('the mail is sent')
    await page.goto(await waitForLink(service.config.dataDir, email, '/sign-up/confirm'))
    await page.click('main form button')
    await page.goto(`${service.url}/library`)
    await page.locator('.empty', { hasText: 'Your list is empty' }).waitFor()
    await check('an empty list')
  }

  async function findNovel(page: Page, hasScript: boolean, check: PageCheck): Promise<string> {
    await page.fill('header [name=q]', 'suzumiya haruhi')
    if (hasScript) await page.locator('.found a', { hasText: NOVEL }).first().waitFor()
    await page.press('header [name=q]', 'Enter')
    await page.locator('h1', { hasText: 'suzumiya haruhi' }).waitFor()
    await check('what is found')
    await page.locator('.hits a', { hasText: NOVEL }).first().click()
    await page.locator('h1', { hasText: NOVEL }).waitFor()
    return page.url()
  }

  /** Returns how many users rated the novel 8. */
  async function eights(page: Page, novel: string): Promise<number> {
    await page.goto(novel)
    const row = page.locator('.histogram tr', { has: page.locator('th', { hasText: /^8$/ }) })
    return (await row.count()) === 0 ? 0 : Number(await row.locator('.number').innerText())
  }

  async function keepRecord(
    page: Page,
    {
      novel,
      review,
      hasScript,
      check,
    }: { novel: string; review: string; hasScript: boolean; check: PageCheck },
  ) {
    const before = await eights(page, novel)
    await page.locator('.own-mark [name=status]').selectOption('GOING')
    if (hasScript) await page.locator('.own-mark [data-state=saved]').waitFor()
    else await page.click('.own-mark .mark-form button')
    await check('the novel, on the list')

    await page.click('.own-mark a.own-edit')
    await page.check('[name=status][value=COMPLETED]')
    await page.fill('[name=rate]', '8.5')
    await page.fill('[name=rate_content]', review)
    await page.click('[name=act][value=preview]')
    await page.locator('.preview', { hasText: review }).waitFor()
    await check('the preview of a review')
    await page.click('.record-form button:not([name])')
    await page.locator('.notice.done').waitFor()
    // Totals are updated after the request.
    while ((await eights(page, novel)) === before);
    assert.equal(await eights(page, novel), before + 1)
    await check('the novel, rated')
  }

  /** Follows a link in the menu of the list. */
  async function chooseInMenu(page: Page, path: string) {
    await page.click('.list-ways summary')
    await page.click(`.list-ways a[href="${path}"]`)
  }

  async function importList(page: Page, check: PageCheck) {
    await page.goto(`${service.url}/library`)
    await chooseInMenu(page, '/library/import')
    await check('an import begins')
    await page.check('[name=source][value=vndb]')
    await page.setInputFiles('[name=file]', {
      name: 'list.xml',
      mimeType: 'text/xml',
      buffer: list,
    })
    await page.click('.import-start button')
    await page.locator('h1', { hasText: 'Match works' }).waitFor()
    const row = page.locator('.import-row')
    assert.equal(await row.count(), 1)
    await row.locator('[name=q]').fill('planetarian')
    await row.locator('.row-search button').click()
    await row.locator('.offers li button').first().waitFor()
    await check('a work is chosen by hand')
    await row.locator('.offers li button').first().click()
    await page.locator('.by-hand li').waitFor()
    await page.click('.go-on a.button')
    await page.locator('h1', { hasText: 'Review changes' }).waitFor()
    await check('what would change')
    await page.locator('.go-on button', { hasText: 'Import 8' }).click()
    await page.locator('h1', { hasText: 'Import complete' }).waitFor()
    await check('the list is taken over')
    await page.click('.go-on a[href="/library"]')
    // With the work that was on the list before. One of the imported works has only a label.
    assert.equal(await page.locator('.own-row').count(), 9)
  }

  /**
   * Rates, as the user, a work that guests cannot see.
   *
   * @returns its title
   */
  async function recordAdult(email: string): Promise<string> {
    const { db } = service
    const accountId = (await findAccountByEmail(db, email))?.id ?? 0
    const id = graded.adult
    await writeRating(
      db,
      accountId,
      { kind: 'galgame', id },
      { status: 'COMPLETED', rate_content: 'Adult works.' },
    )
    return (await findWorkRef(db, 'galgame', id))?.name ?? ''
  }

  /**
   * Asserts that a user who enabled adult content sees graded covers after a click, and that a guest sees a blurred
   * cover and no adult works.
   */
  async function seeGraded(
    page: Page,
    guest: Page,
    { adult, look: check }: { adult: string; look: PageCheck },
  ) {
    const [open, hidden] = [`/mangas/${graded.open}`, `/galgames/${graded.adult}`]
    const requests: string[] = []
    guest.on('request', (request) => requests.push(new URL(request.url()).pathname))
    assert.equal((await guest.goto(service.url + hidden))?.status(), 404)
    await guest.goto(`${service.url}/search?q=${encodeURIComponent(adult)}`)
    assert.equal(await guest.locator(`main a[href="${hidden}"]`).count(), 0)
    for (const path of [open, '/', '/mangas', '/galgames?sort=name']) {
      await guest.goto(service.url + path, { waitUntil: 'networkidle' })
      assert.equal(await guest.locator('[data-graded]').count(), 0, path)
      assert.equal(await guest.locator(`a[href^="${hidden}"]`).count(), 0, path)
    }
    const pictures = requests.filter((path) => path.startsWith('/images/'))
    assert.ok(pictures.length > 0)
    assert.deepEqual(
      pictures.filter((path) => !path.includes('-blurred.')),
      [],
    )

    assert.equal((await page.goto(service.url + hidden))?.status(), 404, 'before it is enabled')
    await page.goto(`${service.url}/account/preferences`)
    await page.check('[name=nsfw]')
    await page.check('[name=of_age]')
    await page.click('main form button')
    for (const path of [open, hidden]) {
      const plain: string[] = []
      const note = (request: { url(): string }) => {
        if (/\/images\/(?!.*-blurred\.)/.test(request.url())) plain.push(request.url())
      }
      page.on('request', note)
      await page.goto(service.url + path, { waitUntil: 'networkidle' })
      assert.deepEqual(plain, [], `${path} requests no picture before the click`)
      await check('what is graded, blurred')
      await page.click('.entry-image a[data-graded]')
      await page.locator('a[data-graded]', { hasText: 'Hide image' }).waitFor()
      await page.waitForLoadState('networkidle')
      assert.equal(plain.length, 1, `${path} requests it after the click`)
      page.off('request', note)
      const [own, otherReview] = await Promise.all(
        [page, guest].map(({ request }) => request.get(plain[0] ?? '')),
      )
      assert.equal(own?.status(), 200)
      assert.equal(otherReview?.status(), path === hidden ? 404 : 200)
      assert.notDeepEqual(
        await otherReview?.body(),
        await own?.body(),
        'a guest gets no more by its address',
      )
    }
    await check('what is graded, shown')
  }

  type Sharing = { name: string; review: string; adult: string; check: PageCheck }

  async function share(page: Page, guest: Page, { name, review, adult, check }: Sharing) {
    await page.goto(`${service.url}/library`)
    await chooseInMenu(page, '/library/profile')
    await check('what is shown')
    for (const part of ['is_shown', 'list', 'reviews']) await page.check(`[name=${part}]`)
    await page.fill('[name=name]', name)
    await page.click('.record-form button')
    await page.click('.notice a[href^="/u/"]')
    await page.locator('h1', { hasText: 'Yuki' }).waitFor()
    await check('the profile')
    const url = page.url()
    for (const part of ['', '/list', '/reviews']) {
      await guest.goto(url + part)
      const text = await guest.locator('main').innerText()
      assert.match(text, new RegExp(NOVEL), part)
      assert.equal(text.includes(review), part !== '/list', part)
      // The first is private, in the imported list.
      for (const hidden of ['月姫', adult, 'Adult works.'])
        assert.ok(!text.includes(hidden), `${hidden} ${part}`)
    }
    assert.equal((await guest.goto(`${url}/statistics`))?.status(), 404)
    await page.goto(`${service.url}/library/profile`)
    await page.uncheck('[name=is_shown]')
    await page.click('.record-form button')
    await page.locator('.notice.success').waitFor()
    for (const part of ['', '/list', '/reviews'])
      assert.equal((await guest.goto(url + part))?.status(), 404, 'the profile is private again')
  }
})
