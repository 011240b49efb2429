import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { ageSignIns } from '#test/accounts.ts'
import { createUser, type TestUser } from '#test/authorization.ts'
import { findAccessibilityFaults } from '#test/axe.ts'
import { chromiumMissing } from '#test/chromium.ts'
import { shareChromium, type TestBrowser } from '#test/shared-chromium.ts'
import { fillSignIn } from '#test/sign-in-pages.ts'
import { startService, type TestService } from '#test/service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { queryText } from '../src/db/query.ts'
import { saveRating } from '../src/ratings/own/queries.ts'

const HOSTILE_REVIEW = 'Whoever likes this has no taste.'

describe('a reported review, in a real browser', { skip: chromiumMissing() }, () => {
  let service: TestService
  let browser: TestBrowser
  let author: TestUser
  let user: TestUser
  let url: string
  const contexts: BrowserContext[] = []
  before(async () => {
    service = await startService({ environment: { IMAGES: 'off' } })
    ;[author, user] = await Promise.all([
      createUser(service, 'Author'),
      createUser(service, 'Reader'),
    ])
    const game = first((await sampleWorks(service.db)).galgame)
    url = `/galgames/${game}/reviews`
    const key = { accountId: author.id, kind: 'galgame', workId: game } as const
    await saveRating(service.db, key, null, { rate: 2, rate_content: HOSTILE_REVIEW })
    browser = await shareChromium()
  })
  after(async () => {
    await browser?.close()
    await service?.close()
  })

  /** Opens a window of a signed-in user. */
  async function windowOf(account: TestUser, javaScriptEnabled = true): Promise<Page> {
    const context = await browser.newContext({ javaScriptEnabled, locale: 'en-GB' })
    contexts.push(context)
    const page = await context.newPage()
    await page.goto(`${service.url}/sign-in`)
    await fillSignIn(page, account)
    await page.waitForURL(/\/account/)
    return page
  }
  async function moderator(name: string): Promise<Page> {
    return windowOf(await createUser(service, name, 'MODERATOR'))
  }
  const faults: string[] = []
  async function check(page: Page, name: string) {
    for (const fault of await findAccessibilityFaults(page)) faults.push(`${name}: ${fault}`)
  }

  it(
    'is hidden by a moderator, and restored by another on the author’s appeal',
    { timeout: 120_000 },
    async () => {
      const guest = await (await browser.newContext({ locale: 'en-GB' })).newPage()
      await guest.goto(service.url + url)
      assert.match(await guest.innerText('main'), new RegExp(HOSTILE_REVIEW))

      const window = await windowOf(user, false)
      await window.goto(service.url + url)
      await window.click('.review:has-text("no taste") .report-link')
      const form = window.url()
      await window.check('[name=reason][value=HARASSMENT]')
      await window.fill('[name=note]', '<b>Look</b> at this')
      await window.click('form[action="/report"] button')
      assert.match(await window.innerText('main'), /Thank you.*Harassment.*Pending/s)

      const one = await moderator('Moderator one')
      await one.goto(form)
      await check(one, 'the form')
      await one.click('.kinds summary')
      await one.click('.kinds a[href="/desk"]')
      await check(one, 'the queue')
      await one.click('table.dense a:has-text("Review")')
      assert.match(await one.innerText('main'), /<b>Look<\/b> at this/)
      await check(one, 'a report')
      await one.fill('form[action$="/hide"] [name=note]', 'Please write about the work.')
      await one.click('form[action$="/hide"] button')
      assert.match(await one.innerText('.notice.done'), /Hidden/)
      await check(one, 'what is hidden')

      await guest.reload()
      assert.doesNotMatch(await guest.innerText('main'), new RegExp(HOSTILE_REVIEW))

      const own = await windowOf(author)
      await own.goto(`${service.url}/library${url.replace('/reviews', '')}`)
      await own.click('.notice.error a')
      assert.match(await own.innerText('main'), /Please write about the work/)
      await check(own, 'what is hidden of mine, before I object')
      await own.fill('[name=note]', 'It is about the work.')
      await own.click('form[action$="/appeal"] button')
      assert.match(await own.innerText('main'), /Appeal received/)
      await check(own, 'what is hidden of mine')

      const two = await moderator('Moderator two')
      await one.reload()
      assert.match(await one.innerText('main'), /someone else must decide the appeal/)
      assert.equal(await one.locator('form[action$="/reject"]').count(), 0)

      await two.goto(`${service.url}/desk`)
      await check(two, 'the queue with an objection and no report')
      await two.click('section:has-text("Appeals") a:has-text("Review")')
      assert.match(await two.innerText('main'), /It is about the work/)
      await check(two, 'an objection to decide')
      await two.fill('form[action$="/restore"] [name=note]', 'It is.')
      await two.click('form[action$="/restore"] button')
      assert.match(await two.innerText('.notice.done'), /Visible again/)
      await guest.reload()
      assert.match(await guest.innerText('main'), new RegExp(HOSTILE_REVIEW))
      await own.reload()
      assert.match(await own.innerText('main'), /It is visible again/)
      assert.deepEqual(faults, [])
    },
  )

  it('is listed in the moderation log, whose pages are accessible', async () => {
    const page = await windowOf(await createUser(service, 'Administrator', 'ADMIN'))
    const { clientId } = await service.createApp({ accountId: author.id, clientName: 'A launcher' })
    await queryText(
      service.db,
      `insert into mails (kind, email, language, details, attempts, failed_at)
       values ('app_enabled', 'a@b.example', 'ja', '{"note": "", "what": "A"}', 10, now())`,
      [],
    )
    await queryText(
      service.db,
      `insert into mails (kind, email, language, details, next_attempt_at, is_in_hand)
       values ('app_enabled', 'a@b.example', 'ja', '{"note": "", "what": "B"}', now() + interval '1 hour', true)`,
      [],
    )
    const game = first((await sampleWorks(service.db)).galgame)
    const paths = [
      '/desk',
      '/desk/hidden',
      '/desk/matches',
      '/desk/merges',
      `/desk/entries?kind=galgame&id=${game}`,
      '/desk/imports',
      '/desk/accounts',
      `/desk/accounts/${author.id}`,
      '/desk/accounts?q=nobody-is-called-so',
      '/desk/apps',
      `/desk/apps/${clientId}`,
      '/desk/webhooks',
      '/desk/mails',
      '/desk/health',
      '/desk/log?account=x&since=2026-02-30',
      '/desk/log?kind=content_hidden',
      '/desk/log',
    ]
    for (const path of paths) {
      await page.goto(service.url + path)
      assert.equal(await page.locator('.desk > .side-nav [aria-current]').count(), 1, path)
      await check(page, path)
    }
    assert.match(await page.innerText('main'), /content_hidden.*Please write about the work/s)
    await page.goto(`${service.url}/desk/apps/${clientId}`)
    await page.fill('form[action$="/disable"] [name=note]', 'It leaks.')
    await page.click('form[action$="/disable"] button')
    await page.getByLabel('Reason (optional)').waitFor()
    await check(page, 'an act that can be taken back')
    await page.goto(`${service.url}/desk/merges`)
    await page.fill('form[action="/desk/merges"] [name=from]', String(game))
    await page.fill('form[action="/desk/merges"] [name=into]', String(game))
    await page.click('form[action="/desk/merges"] button')
    await page.getByText('cannot be merged into itself').waitFor()
    await check(page, 'a refusal')
    await ageSignIns(service.db)
    await page.goto(`${service.url}/desk/merges`)
    await page.locator('.notice.stale').waitFor()
    await check(page, 'who signed in long ago')
    assert.deepEqual(faults, [])
  })
})
