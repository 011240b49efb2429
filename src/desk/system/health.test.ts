import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { signedInAs, type UserWithBrowser } from '#test/authorization.ts'
import { findAccessibilityFaults } from '#test/axe.ts'
import { chromiumMissing } from '#test/chromium.ts'
import { listenLocally } from '#test/free-port.ts'
import { startService, type TestService } from '#test/service.ts'
import { shareChromium, type TestBrowser } from '#test/shared-chromium.ts'
import { fillSignIn } from '#test/sign-in-pages.ts'
import { queryText } from '../../db/query.ts'
import { LANGUAGES } from '../../i18n/languages.ts'

describe('the health page of the desk', () => {
  let service: TestService
  let mailServer: Server
  let connections = 0
  let admin: UserWithBrowser
  before(async () => {
    // Closes every connection, as a mail server that is overloaded may do.
    mailServer = createServer((socket) => {
      connections += 1
      socket.on('error', () => {}).end()
    })
    const port = await listenLocally(mailServer)
    service = await startService({
      environment: { SMTP_URL: `smtp://127.0.0.1:${port}`, TRUSTED_PROXIES: '1' },
    })
    await queryText(
      service.db,
      `insert into import_runs (source, outcome, ended_at, error) values ('vndb', 'failed', now(), 'No response.')`,
      [],
    )
    admin = await signedInAs(service, 'ADMIN')
  })
  after(async () => {
    await service?.close()
    mailServer?.close()
  })

  const get = async (path: string, language = 'en') =>
    (await admin.browser.get(`${path}?ui_locales=${language}`)).text

  it('shows what is wrong and what to do in every language, without addresses', async () => {
    const pages = new Set<string>()
    for (const language of LANGUAGES) {
      const page = await get('/desk/health', language)
      pages.add(/<ul class="findings">([^]*?)<\/ul>/.exec(page)?.[1] ?? '')
      assert.match(page, /TRUSTED_PROXIES/)
      // The errors of other programs name addresses inside the network.
      assert.doesNotMatch(page, /127\.0\.0\.1/)
    }
    assert.equal(pages.size, LANGUAGES.length)
    const page = await get('/desk/health')
    assert.match(page, /2 errors, 2 warnings/)
    assert.match(page, /The mail server in SMTP_URL cannot be used: the connection was closed\./)
    assert.match(page, /The last update of vndb failed \(import \d+\)\./)
  })

  it('runs the checks at most once every 30 seconds', async () => {
    await get('/desk/health')
    const before = connections
    await Promise.all([get('/desk/health'), get('/desk/health')])
    assert.equal(connections, before)
  })

  it('says in every language that a long queue is counted only up to a limit', async () => {
    const amountIn = async (language: string) =>
      /<code>failed_mails<\/code>.*?<td[^>]*>([^<]*)/s.exec(
        await get('/desk/health', language),
      )?.[1]
    const insert = (count: number) =>
      queryText(
        service.db,
        `insert into mails (kind, email, language, failed_at)
        select 'sign_in', 'a@example.org', 'en', now() from generate_series(1, $1::integer)`,
        [count],
      )
    try {
      await insert(99_999)
      assert.equal(await amountIn('en'), '99,999')
      await insert(1)
      const amounts = await Promise.all(LANGUAGES.map(amountIn))
      assert.deepEqual(
        new Set(amounts),
        new Set(['100,000 or more', '100,000以上', '至少 100,000', '100,000 이상']),
      )
    } finally {
      await queryText(service.db, 'delete from mails', [])
    }
  })

  it('mentions a failed update on the desk’s first page and on its imports page', async () => {
    for (const path of ['/desk', '/desk/imports'])
      assert.match(
        await get(path),
        /The last update of vndb failed or was refused\. <a href="\/desk\/imports\/\d+">/,
      )
  })

  describe('in a real browser', { skip: chromiumMissing() }, () => {
    let browser: TestBrowser
    before(async () => (browser = await shareChromium()))
    after(() => browser?.close())

    for (const colorScheme of ['light', 'dark'] as const)
      it(`has no accessibility faults and fits a phone, ${colorScheme} theme`, async () => {
        const context = await browser.newContext({
          colorScheme,
          locale: 'en-GB',
          viewport: { width: 390, height: 844 },
        })
        const page = await context.newPage()
        await page.goto(`${service.url}/sign-in`)
        await fillSignIn(page, admin)
        await page.waitForURL(/\/account/)
        await page.goto(`${service.url}/desk/health`)
        await page.locator('.all-checks summary').click()
        assert.deepEqual(await findAccessibilityFaults(page), [])
        const width = await page.evaluate('document.documentElement.scrollWidth')
        assert.equal(width, 390)
        await context.close()
      })
  })
})
