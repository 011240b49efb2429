import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createUser, signedInBrowser } from '#test/authorization.ts'
import { PlainBrowser, type Visit } from '#test/browser.ts'
import { worksOfEachKind } from '#test/library-user.ts'
import { startService, type TestService } from '#test/service.ts'
import { localOutboxOf } from '../identity/browser/options.ts'

/** Content of a page, without the links of its footer, which repeat the query string. */
function mainOf({ text }: Visit): string {
  const [, main] = /<main[^>]*>(.*)<\/main>/s.exec(text) ?? []
  assert.ok(main)
  return main
}

describe('the web interface', () => {
  let full: TestService
  let empty: TestService
  before(async () => {
    full = await startService({ environment: { IMAGES: 'off' } })
    empty = await startService({ content: 'empty', environment: { IMAGES: 'off' } })
  })
  after(async () => {
    await full?.close()
    await empty?.close()
  })

  it('names the operator’s next step while the catalog is empty, and does not mention filters', async () => {
    const browser = new PlainBrowser(empty.url)
    const paths = [
      '/',
      '/galgames',
      '/light-novels',
      '/mangas',
      '/people',
      '/producers',
      '/characters',
      '/tags',
      '/search?q=fate',
    ]
    for (const path of paths) {
      const text = mainOf(await browser.get(path))
      assert.match(text, /npx --no-install mokuroku import/, path)
      assert.doesNotMatch(text, /filter|tags match|No results for/, path)
    }
    const filtered = await new PlainBrowser(full.url).get('/galgames?tag=no-such-tag')
    assert.doesNotMatch(filtered.text, /npx --no-install mokuroku import/)
  })

  it('tells a guest why a sign-in is required', async () => {
    const { game } = await worksOfEachKind(full)
    for (const [path, reason] of [
      [`/library/galgames/${game}`, /add this to your list/],
      ['/report?profile=1', /Sign in to report/],
      ['/console', /manage your apps/],
    ] as const) {
      const page = await new PlainBrowser(full.url).get(path)
      assert.equal(new URL(page.url).pathname, '/sign-in')
      assert.match(page.text, reason)
    }
    assert.doesNotMatch((await new PlainBrowser(full.url).get('/sign-in')).text, /class="lead"/)
  })

  it('returns to the page with the card that led to a rating form', async () => {
    const { game } = await worksOfEachKind(full)
    const browser = await signedInBrowser(full, await createUser(full, 'Adds from a card'))
    const savedFrom = async (referer: string) => {
      browser.headers['referer'] = referer
      const page = await browser.get(`/library/galgames/${game}`)
      return (await browser.press(page, `/library/galgames/${game}`, { rate: '7' })).url
    }
    const list = `${full.url}/galgames?sort=name`
    assert.equal(await savedFrom(list), list)
    for (const page of ['https://evil.example/galgames', `${full.url}/sign-in`])
      assert.equal(new URL(await savedFrom(page)).pathname, '/library', page)
  })

  it('returns to the work’s page after its rating form is saved', async () => {
    const { game } = await worksOfEachKind(full)
    const browser = await signedInBrowser(full, await createUser(full, 'Comes back'))
    const work = await browser.get(`/galgames/${game}`)
    const [, details = ''] = /class="own-edit tap" href="([^"]*)"/.exec(work.text) ?? []
    const page = await browser.get(details.replaceAll('&amp;', '&'))
    const saved = await browser.press(page, `/library/galgames/${game}`, { rate: '7' })
    assert.equal(new URL(saved.url).pathname, `/galgames/${game}`)
    assert.match(saved.text, /Saved /)
    const otherPage = await browser.get(
      `/library/galgames/${game}?back=${encodeURIComponent('//evil.example/')}`,
    )
    assert.doesNotMatch(mainOf(otherPage), /evil/)
  })

  it('ignores a notice in the query string', async () => {
    const browser = await signedInBrowser(full, await createUser(full, 'Clicked a link'))
    for (const path of [
      '/console?deleted=Call%20555-1234',
      '/library/profile?saved=1',
      '/reports?sent=yes',
      '/reset-password/done',
    ])
      assert.doesNotMatch(
        mainOf(await browser.get(path)),
        /555-1234|class="notice (success|done)"/,
        path,
      )
  })

  it('shows a notice once, and only on the page it was set for', async () => {
    const browser = await signedInBrowser(full, await createUser(full, 'Saves a page'))
    const page = await browser.get('/library/profile')
    const form = page.forms.find(({ action }) => action === '/library/profile')
    const { headers } = await fetch(`${full.url}/library/profile`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: browser.cookieHeader(), origin: full.url },
      body: new URLSearchParams(form?.fields),
    })
    const set = headers.getSetCookie().find((cookie) => cookie.startsWith('mokuroku-notice='))
    const [, signed = ''] = /=([^;]+)/.exec(set ?? '') ?? []
    browser.setCookie('mokuroku-notice', signed)
    const notices = async (path: string) => [
      ...mainOf(await browser.get(path)).matchAll(/class="notice (?:success|done)"/g),
    ]
    for (const path of ['/console', '/reports', '/account/profile'])
      assert.equal((await notices(path)).length, 0, path)
    assert.equal((await notices('/library/profile')).length, 1)
    assert.equal((await notices('/library/profile')).length, 0)
  })

  it('shows developers the folder with unsent emails', async () => {
    const browser = new PlainBrowser(full.url)
    const email = 'local@example.com'
    const sent = await browser.submit(await browser.get('/sign-up'), {
      email,
      name: 'Local',
      password: 'a long enough one',
    })
    assert.match(sent.text, /doesn’t send email[^<]*outbox/)
    const reset = await browser.submit(await browser.get('/forgotten-password'), { email })
    assert.match(reset.text, /doesn’t send email[^<]*outbox/)
    const dataDir = '/var/lib/mokuroku'
    assert.equal(
      localOutboxOf({ smtpUrl: undefined, authUrl: 'https://example.org', dataDir }),
      undefined,
    )
    assert.equal(
      localOutboxOf({ smtpUrl: 'smtp://mail', authUrl: 'http://localhost:3000', dataDir }),
      undefined,
    )
  })

  it('offers an import and a search right after sign-up', async () => {
    const browser = await signedInBrowser(full, await createUser(full, 'New here'))
    const { text } = await browser.get('/account/welcome')
    const order = ['/library/import', '/search', '/account/security/passkeys'].map((href) =>
      text.indexOf(`class="button${href.endsWith('passkeys') ? ' secondary' : ''}" href="${href}"`),
    )
    assert.ok(
      order.every((index) => index > 0),
      String(order),
    )
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    )
  })
})
