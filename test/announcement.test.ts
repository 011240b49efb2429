import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { announce, endAnnouncement } from '../src/instance/announcement-queries.ts'
import { createUser, signedInAs, signedInBrowser } from '#test/authorization.ts'
import { findFaultsOfBothThemes } from '#test/axe.ts'
import { eventually, PlainBrowser } from '#test/browser.ts'
import { chromiumMissing } from '#test/chromium.ts'
import { createDatabase, DEFAULT_ENGINE, type TestDatabase } from '#test/databases.ts'
import { startService, type TestService } from '#test/service.ts'
import { shareChromium } from '#test/shared-chromium.ts'

const BANNER = /<aside class="announcement"[^>]*>.*?<\/aside>/s

describe(
  'the announcement',
  { skip: DEFAULT_ENGINE === 'embedded' && 'needs two services' },
  () => {
    let database: TestDatabase
    let services: TestService[]
    before(async () => {
      database = await createDatabase(DEFAULT_ENGINE, 'sample')
      const environment = { DEFAULT_LANGUAGE: 'ja' }
      services = [
        await startService({ database, environment }),
        await startService({ database, environment }),
      ]
    })
    after(async () => {
      for (const service of services ?? []) await service.close()
      await database?.remove()
    })

    const one = () => services[0] as TestService
    const two = () => services[1] as TestService
    const get = async (
      service: TestService,
      path: string,
      headers: Record<string, string> = {},
    ) => {
      const response = await fetch(service.url + path, {
        headers: { accept: 'text/html', 'accept-language': 'en', ...headers },
        redirect: 'manual',
      })
      return { status: response.status, headers: response.headers, text: await response.text() }
    }
    const PAGES = ['/', '/galgames', '/sign-in', '/no-such-page', '/oidc/auth?client_id=x', '/docs']

    it('appears on every page of every process within a second, cached pages included', async () => {
      for (const service of services)
        for (const path of PAGES) assert.doesNotMatch((await get(service, path)).text, BANNER)
      const known = (await get(two(), '/galgames')).headers.get('etag') ?? ''
      assert.equal((await get(two(), '/galgames', { 'if-none-match': known })).status, 304)
      await announce(one().db, {
        texts: { en: 'Down at <b>ten</b> & "eleven"', ja: 'メンテナンス' },
        endsAt: undefined,
      })
      await sleep(1_000)
      for (const service of services)
        for (const path of PAGES) {
          const { text } = await get(service, path)
          assert.match(
            text,
            /<p>Down at &lt;b&gt;ten&lt;\/b&gt; &amp; &quot;eleven&quot;<\/p>/,
            path,
          )
          assert.ok(text.indexOf('<a class="skip"') < text.indexOf('<aside'), path)
        }
      assert.equal((await get(two(), '/galgames', { 'if-none-match': known })).status, 200)
      assert.match(
        (await get(two(), '/', { 'accept-language': 'ja' })).text,
        /<p>メンテナンス<\/p>/,
      )
      assert.match(
        (await get(two(), '/', { 'accept-language': 'ko' })).text,
        /<p lang="ja">メンテナンス<\/p>/,
      )
    })

    it('can be dismissed in one browser by a link, until a new announcement appears', async () => {
      const browser = new PlainBrowser(one().url)
      browser.headers = { ...browser.headers, 'accept-language': 'en' }
      const { text } = await browser.get('/galgames?page=1&lang=xx')
      const [, href = ''] = /<aside .*?<a href="([^"]*)"/s.exec(text) ?? []
      assert.match(href, /^\/galgames\?page=1&amp;lang=xx&amp;announcement=\d+$/)
      const after = await browser.get(href.replaceAll('&amp;', '&'))
      assert.match(after.url, /\/galgames\?page=1&lang=xx$/)
      assert.doesNotMatch(after.text, BANNER)
      for (const path of PAGES) assert.doesNotMatch((await browser.get(path)).text, BANNER, path)
      assert.match((await get(one(), '/galgames')).text, BANNER, 'other browsers still see it')
      await announce(two().db, { texts: { en: 'Second' }, endsAt: undefined })
      await sleep(1_000)
      assert.match((await browser.get('/galgames')).text, /<p>Second<\/p>/)
      for (const id of ['x', '-1', '1%0d%0aset-cookie:a=b', '9'.repeat(25)])
        assert.equal((await get(one(), `/?announcement=${id}`)).status, 200, id)
    })

    it('disappears when it ends, without an earlier announcement reappearing', async () => {
      await announce(one().db, { texts: { en: 'Short' }, endsAt: new Date(Date.now() + 2_500) })
      await eventually(async () => (await get(two(), '/galgames')).text.includes('<p>Short</p>'))
      await sleep(2_600)
      for (const service of services)
        assert.doesNotMatch((await get(service, '/galgames')).text, BANNER)
      assert.equal(await endAnnouncement(one().db), false)
    })

    it('is published and ended at the desk, and recorded in the log', async () => {
      const { browser: admin } = await signedInAs(one(), 'ADMIN')
      admin.headers = { ...admin.headers, 'accept-language': 'en' }
      const open = () => admin.get('/desk/announcement')
      const formOf = (visit: Awaited<ReturnType<typeof open>>, action: string) => {
        const form = visit.forms.find((each) => each.action === action)
        assert.ok(form, action)
        return form.fields
      }
      const post = async (fields: Record<string, string>) =>
        admin.post('/desk/announcement', {
          ...formOf(await open(), '/desk/announcement'),
          ...fields,
        })
      const empty = await post({ en: ' \n ', ja: '' })
      assert.equal(empty.status, 422)
      const long = await post({ en: 'x'.repeat(301) })
      assert.equal(long.status, 422)
      assert.match(long.text, /at most 300 characters/)
      const published = await post({ en: 'Line\r\nbreak\u202e!', ko: '공지', ends: 'h4' })
      assert.match(published.text, /Shown until|shown on every page/)
      await sleep(1_000)
      assert.match((await get(two(), '/sign-in')).text, /<p>Line break !<\/p>/)
      const ended = await admin.post(
        '/desk/announcement/end',
        formOf(await open(), '/desk/announcement/end'),
      )
      assert.match(ended.text, /The announcement has ended/)
      await sleep(1_000)
      assert.doesNotMatch((await get(two(), '/sign-in')).text, BANNER)
      const log = await admin.get('/desk/log')
      assert.match(log.text, /Announcement published/)
      assert.match(log.text, /Announcement ended/)
      const reader = await signedInBrowser(one(), await createUser(one(), 'Reader'))
      assert.equal((await reader.get('/desk/announcement')).status, 404)
    })

    it('is accessible, and fits on a phone', { skip: chromiumMissing() }, async () => {
      await announce(one().db, {
        texts: { en: 'Maintenance '.repeat(25).trim() },
        endsAt: undefined,
      })
      await sleep(1_000)
      const chromium = await shareChromium()
      after(() => chromium.close())
      const page = await chromium.newPage({ viewport: { width: 360, height: 740 } })
      const faults: string[] = []
      for (const path of ['/', '/sign-in']) {
        await page.goto(one().url + path)
        for (const fault of await findFaultsOfBothThemes(page)) faults.push(`${path}: ${fault}`)
        const overflow = await page.evaluate<number>(
          'document.documentElement.scrollWidth - innerWidth',
        )
        assert.ok(overflow <= 0)
      }
      assert.deepEqual(faults, [])
    })
  },
)
