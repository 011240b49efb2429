import assert from 'node:assert/strict'
import { brotliCompressSync } from 'node:zlib'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'node:test'
import { chromiumMissing } from '#test/chromium.ts'
import { shareChromium } from '#test/shared-chromium.ts'
import { shareService } from '#test/shared-service.ts'
import { openSignedInPage, signInCookie } from '#test/signed-in-page.ts'
import { startService } from '#test/service.ts'
import { LANGUAGES } from '../i18n/languages.ts'
import { messagesIn } from '../ui/messages.ts'

const HTML = { accept: 'text/html' }

describe('the installable app', () => {
  it('has a manifest whose icons and shortcuts exist, in each language', async () => {
    const service = await shareService()
    for (const language of LANGUAGES) {
      const response = await fetch(`${service.url}/manifest.webmanifest?ui_locales=${language}`)
      assert.equal(response.headers.get('content-type'), 'application/manifest+json; charset=utf-8')
      // as: the shape under test
      const manifest = (await response.json()) as {
        lang: string
        icons: { src: string; sizes: string; purpose: string }[]
        shortcuts: { name: string; url: string }[]
      }
      assert.equal(manifest.lang, language)
      assert.equal(manifest.shortcuts[0]?.name, messagesIn(language).layout.myList)
      for (const { src } of manifest.icons) {
        const icon = await fetch(service.url + src)
        assert.equal(icon.headers.get('content-type'), 'image/png')
        assert.match(icon.headers.get('cache-control') ?? '', /immutable/)
        await icon.arrayBuffer()
      }
      for (const { url } of manifest.shortcuts)
        assert.equal((await fetch(service.url + url, { headers: HTML })).status, 200, url)
    }
    const page = await (await fetch(service.url, { headers: HTML })).text()
    assert.match(
      page,
      /<link rel="manifest" href="\/manifest\.webmanifest\?ui_locales=en" data-worker>/,
    )
    await service.close()
  })

  it('has a small service worker, which names the versions of its assets', async () => {
    const service = await shareService()
    const response = await fetch(`${service.url}/service-worker.js?ui_locales=ja`)
    const text = await response.text()
    assert.equal(response.headers.get('cache-control'), 'no-cache')
    assert.match(text, /"\/offline\?ui_locales=ja"/)
    assert.match(text, /"\/assets\/style\.css\?v=[\w-]+"/)
    assert.ok(brotliCompressSync(text).length <= 2_000)
    const etag = response.headers.get('etag') ?? ''
    const again = await fetch(`${service.url}/service-worker.js?ui_locales=ja`, {
      headers: { 'if-none-match': etag },
    })
    assert.equal(again.status, 304)
    await service.close()
  })

  it('has an offline page that is the same for users and guests', async () => {
    const service = await shareService()
    const cookie = await signInCookie(service, { nsfw: true, name: 'Tomoyo' })
    for (const headers of [HTML, { ...HTML, cookie }]) {
      const response = await fetch(`${service.url}/offline?ui_locales=ja`, { headers })
      const text = await response.text()
      assert.equal(response.headers.get('cache-control'), 'no-store')
      assert.ok(text.includes(messagesIn('ja').offline.title))
      assert.doesNotMatch(text, /Tomoyo|_csrf/)
    }
    await service.close()
  })

  it('removes the service worker if the operator turns it off', async () => {
    const service = await startService({ environment: { SERVICE_WORKER: 'off' } })
    try {
      const text = await (await fetch(`${service.url}/service-worker.js`)).text()
      assert.match(text, /unregister/)
      assert.doesNotMatch(text, /'fetch'/)
      const page = await (await fetch(service.url, { headers: HTML })).text()
      assert.doesNotMatch(page, /data-worker/)
    } finally {
      await service.close()
    }
  })
})

describe('the installable app in a browser', { skip: chromiumMissing() }, () => {
  /** Resolves once the service worker controls the page. */
  const CONTROLLED = `navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller ??
    new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve))).then(() => true)`
  /** Paths of all stored responses. */
  const STORED = `caches.keys().then((names) => Promise.all(names.map(async (name) =>
    (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)))).then((paths) => paths.flat())`

  it(
    'shows the offline page, never a stored page of a user, while the service is stopped',
    { timeout: 240_000 },
    async () => {
      const service = await startService({ environment: { IMAGES: 'off' } })
      const browser = await shareChromium()
      let isRunning = true
      try {
        const context = await browser.newContext({ serviceWorkers: 'allow', locale: 'en-GB' })
        const page = await openSignedInPage(service, context)
        const faults: string[] = []
        page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
        await page.goto(`${service.url}/library`)
        assert.equal(await page.evaluate(CONTROLLED), true)
        const session = await context.newCDPSession(page)
        const { errors } = await session.send('Page.getAppManifest')
        assert.deepEqual(errors, [])

        // The worker passes on pages with their language, redirects and forms.
        await page.goto(`${service.url}/library?status=PLAN`)
        assert.equal(await page.locator('h1').innerText(), 'My list')
        await page.goto(`${service.url}/random`)
        assert.match(new URL(page.url()).pathname, /^\/[a-z-]+\/\d+$/)
        await page.goto(`${service.url}/galgames`)
        assert.equal(await page.locator('.who').count(), 1)
        for (const path of await page.evaluate<string[]>(STORED))
          assert.match(path, /^\/(?:offline$|assets\/)/)
        assert.deepEqual(faults, [])

        await context.clearCookies()
        await page.goto(`${service.url}/galgames`)
        assert.equal(await page.locator('.who').count(), 0)
        isRunning = false
        await service.close()
        for (const path of ['/library', '/galgames']) {
          await page.goto(service.url + path)
          assert.equal(await page.locator('h1').innerText(), 'You’re offline')
          assert.equal(await page.locator('main a.button').getAttribute('href'), '')
          assert.equal(new URL(page.url()).pathname, path)
          assert.equal(await page.locator('.who').count(), 0)
          assert.notEqual(
            await page.evaluate('getComputedStyle(document.body).margin'),
            '8px',
            'styled',
          )
        }
        await context.close()
      } finally {
        await browser.close()
        if (isRunning) await service.close()
      }
    },
  )

  it(
    'replaces the service worker with that of another language',
    { timeout: 120_000 },
    async () => {
      const service = await shareService()
      const browser = await shareChromium()
      try {
        const context = await browser.newContext({ serviceWorkers: 'allow', locale: 'en-GB' })
        const page = await context.newPage()
        await page.goto(`${service.url}/tags`)
        assert.equal(await page.evaluate(CONTROLLED), true)
        await page.goto(`${service.url}/tags?ui_locales=ja`)
        // The old worker's cache is deleted once the new one is active.
        const isReplaced = `Promise.all(['ja', 'en'].map((name) => caches.match('/offline?ui_locales=' + name,
        { ignoreVary: true }))).then(([now, before]) => now !== undefined && before === undefined)`
        for (let count = 0; !(await page.evaluate<boolean>(isReplaced)); count += 1) {
          assert.ok(count < 300, 'the service worker is not replaced')
          await sleep(100)
        }
        await context.close()
      } finally {
        await browser.close()
        await service.close()
      }
    },
  )
})
