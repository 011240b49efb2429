import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import Fastify, { type FastifyInstance } from 'fastify'
import { guardRoutes } from '../http/admission/access.ts'
import { assetUrls, readAssets, assetRoutes, type Assets } from './assets.ts'

describe('page assets', () => {
  let app: FastifyInstance
  let assets: Assets
  before(async () => {
    app = Fastify()
    guardRoutes(app, {
      anonymous: () => {},
      page: () => {},
      developer: () => {},
      user: () => {},
      mcp: () => {},
      catalog: (_request, _reply, done) => done(),
    })
    assets = await readAssets()
    await app.register(assetRoutes, { assets })
  })
  after(() => app.close())

  const FILES: [name: string, type: RegExp, holds: RegExp][] = [
    ['favicon.svg', /^image\/svg\+xml/, /<svg /],
    ['style.css', /^text\/css/, /light-dark\(/],
    ['submit.js', /^text\/javascript/, /data-submit/],
    ['signed-out.js', /^text\/javascript/, /BroadcastChannel/],
    ['passkey.js', /^text\/javascript/, /passkey/],
    ['simplewebauthn-browser.js', /^text\/javascript/, /SimpleWebAuthnBrowser/],
  ]

  it('have their media types and are cached for an hour', async () => {
    for (const [name, type, holds] of FILES) {
      const { statusCode, headers, body } = await app.inject(`/assets/${name}`)
      assert.equal(statusCode, 200, name)
      assert.match(String(headers['content-type']), type)
      assert.equal(headers['cache-control'], 'public, max-age=3600')
      assert.match(body, holds)
    }
  })

  it('include a display font of at most 20 kB', async () => {
    const { rawPayload } = await app.inject('/assets/display.woff2')
    assert.equal(rawPayload.subarray(0, 4).toString(), 'wOF2')
    assert.ok(rawPayload.length <= 20_000, `${rawPayload.length} bytes`)
  })

  it('include the stylesheets of all folders', async () => {
    const served = [...assets.values()].map(({ bytes }) => `}${bytes.toString().trim()}`).join('')
    for await (const sheet of glob('src/**/*.css')) {
      const rules = (await readFile(sheet, 'utf8')).match(/(?<=\n\n|\*\/\n)\.[\w-]+ \{$/gm) ?? []
      const missing = rules.filter((rule) => !served.includes(`}${rule}`))
      assert.deepEqual(missing, [], sheet)
    }
  })

  it('have no comments or indentation in stylesheets', async () => {
    const { body } = await app.inject('/assets/style.css')
    assert.doesNotMatch(body, /\/\*|\n\s/)
  })

  it('have no comment lines in scripts', async () => {
    for (const name of assets.keys().filter((key) => key.endsWith('.js'))) {
      const { body } = await app.inject(`/assets/${name}`)
      assert.doesNotMatch(body, /^ *(\/\/|\/\*\*|\* )/m, name)
    }
  })

  it('return 304 to clients that have the current version', async () => {
    const { headers } = await app.inject('/assets/style.css')
    const etag = String(headers.etag)
    assert.match(etag, /^"[^"]+"$/)
    const repeated = await app.inject({
      url: '/assets/style.css',
      headers: { 'if-none-match': etag },
    })
    assert.equal(repeated.statusCode, 304)
    assert.equal(repeated.body, '')
    const compressed = await app.inject({
      url: '/assets/style.css',
      headers: { 'if-none-match': etag, 'accept-encoding': 'gzip, br' },
    })
    assert.equal(
      compressed.statusCode,
      200,
      'the bytes of another encoding have an ETag of their own',
    )
    const other = await app.inject({ url: '/assets/submit.js', headers: { 'if-none-match': etag } })
    assert.equal(other.statusCode, 200)
  })

  it('load each other under versioned URLs', () => {
    const loaded = [...assets]
      .filter(([name]) => /\.(?:css|js)$/.test(name))
      .flatMap(([, { bytes }]) => bytes.toString().match(/\/assets\/[\w.-]+(?:\?v=[\w-]+)?/g) ?? [])
    const names = new Set(loaded.map((url) => url.replace(/^\/assets\/|\?.*/g, '')))
    assert.deepEqual([...names], ['display.woff2', 'sdk.js'])
    assert.deepEqual(new Set(loaded), new Set([...names].map(assetUrls(assets))))
  })

  it('are cached for a year under a versioned URL, and compressed for clients that accept compression', async () => {
    const url = assetUrls(assets)('style.css')
    assert.match(url, /^\/assets\/style\.css\?v=[\w-]{10}$/)
    const plain = await app.inject(url)
    assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable')
    for (const [accepted, encoding, open] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip;q=0.5, br;q=0', 'gzip', gunzipSync],
    ] as const) {
      const { headers, rawPayload } = await app.inject({
        url,
        headers: { 'accept-encoding': accepted },
      })
      assert.equal(headers['content-encoding'], encoding)
      assert.equal(headers.vary, 'Accept-Encoding')
      assert.equal(open(rawPayload).toString(), plain.body)
      assert.ok(rawPayload.length < plain.body.length / 2)
    }
    const old = await app.inject('/assets/style.css?v=older')
    assert.equal(old.headers['cache-control'], 'public, max-age=3600')
  })
})
