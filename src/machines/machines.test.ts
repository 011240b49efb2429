import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { send, PAYLOADS, unescapedIn, HTML } from '#test/attacks.ts'
import { fetchSitemapPaths } from '#test/sitemap-paths.ts'
import { startService, type TestService } from '#test/service.ts'
import { sampleWorks } from '#test/sample-works.ts'
import { ENTRY_KINDS, KINDS } from '../catalog/kinds.ts'
import { memoryThrottle } from '../http/admission/throttle.ts'

/** One path for each page that the sitemap does not list, and for each resource that programs expect. */
const ROUTES: Record<string, string> = {
  '/search': '/search',
  '/search/instant': '/search/instant',
  '/tags/:name': '/tags/x',
  '/users': '/users',
  '/docs/schemas': '/docs/schemas',
  '/docs/schemas/:name': '/docs/schemas/Galgame',
  '/docs/errors': '/docs/errors',
  '/docs/callback': '/docs/callback',
  '/docs/:id': '/docs/getGalgame',
  '/feeds/new.atom': '/feeds/new.atom',
  '/calendar.ics': '/calendar.ics',
  '/feeds/:secret/calendar.ics': '/feeds/x/calendar.ics',
  '/feeds/:secret/notifications.xml': '/feeds/x/notifications.xml',
  '/manifest.webmanifest': '/manifest.webmanifest',
  '/service-worker.js': '/service-worker.js',
  '/offline': '/offline',
  '/random': '/random',
  '/random/galgames': '/random/galgames',
  '/sitemap.xml': '/sitemap.xml',
  '/sitemaps/:part': '/sitemaps/people-1.xml',
  '/robots.txt': '/robots.txt',
  '/favicon.ico': '/favicon.ico',
  '/.well-known/security.txt': '/.well-known/security.txt',
  '/.well-known/change-password': '/.well-known/change-password',
}

/** Invalid values, percent-encoded so that any bytes can be sent. */
const JUNK = ['%00', '%ed%a0%80', '%zz', '-1', '1e9', '[]', 'a'.repeat(10_000), '%E2%80%AE']
const PARAMETERS: Record<string, string[]> = {
  '/galgames': [
    'page',
    'sort',
    'view',
    'year',
    'status',
    'tag',
    'min_score',
    'nsfw',
    'producer',
    'cursor',
    'lang',
  ],
  '/search': ['q', 'page', 'type', 'theme'],
  '/search/instant': ['q'],
  '/calendar': ['month', 'day', 'kind', 'lang'],
  '/calendar.ics': ['kind'],
  '/random/galgames': ['year', 'tag', 'min_score', 'page', 'sort'],
  '/tags': ['q', 'page'],
  '/reviews': ['sort', 'after'],
  '/collections': ['q', 'sort', 'after'],
  '/users': ['q', 'sort', 'page'],
  '/docs': ['q'],
  '/docs/callback': ['code', 'state', 'error_description'],
}

describe('the public pages', () => {
  let service: TestService
  before(async () => {
    const count = memoryThrottle()
    service = await startService({
      environment: { SECURITY_CONTACT: 'https://safe.example/report' },
      // Simulates a client IP address that has exceeded its limit.
      throttle: (key, limit) => count(key, key === 'page:address:127.0.0.9' ? 0 : limit),
    })
  })
  after(() => service.close())

  const get = (path: string, headers: Record<string, string> = HTML, from = '127.0.0.1') =>
    send(service.url, path, { headers, from })

  it('limit requests by client IP address on every route', async () => {
    const known = Object.entries(ROUTES).map(async ([route, path]) => {
      assert.ok(service.server.app.hasRoute({ method: 'GET', url: route }), route)
      const { status } = await get(path)
      assert.ok([200, 301, 302, 303, 404].includes(status), `${path}: ${status}`)
    })
    await Promise.all(known)
    const listed = await fetchSitemapPaths(service.url)
    assert.deepEqual(
      await Promise.all(listed.map(async (path) => (await get(path)).status)),
      listed.map(() => 200),
    )
    for (const path of [...listed, ...Object.values(ROUTES)]) {
      const { status, headers, text } = await get(path, HTML, '127.0.0.9')
      assert.equal(status, 429, path)
      assert.match(String(headers['retry-after']), /^[1-9]\d?$/)
      assert.match(text, /<h1>Too many requests<\/h1>.*data-countdown="\d+".*>Try again</s, path)
    }
    assert.equal((await get('/')).status, 200, 'other addresses are let through')
  })

  it('never respond with a server error to invalid input', async () => {
    const requested = Object.entries(PARAMETERS).flatMap(([path, names]) =>
      names.map((name) => JUNK.map((junk) => `${path}?q=a&${name}=${junk}`)),
    )
    const paths = JUNK.flatMap((junk) => [
      `/tags/${junk}`,
      `/sitemaps/${junk}`,
      `/docs/${junk}`,
      `/guide/${junk}`,
      `/${junk}`,
    ])
    for (const several of [...requested, paths])
      await Promise.all(
        several.map(async (path) => {
          const { status, headers } = await get(path)
          assert.ok([200, 303, 400, 404, 422].includes(status), `${status}: ${path.slice(0, 100)}`)
          if (status !== 303)
            assert.match(String(headers['content-type']), /^text\/html/, path.slice(0, 100))
        }),
      )
    for (const [path, status] of [
      ['/galgames?page=-1', 422],
      ['/galgames?page=99999', 422],
      ['/galgames?status=COOKED', 422],
      ['/galgames?page=1&page=2', 422],
      ['/people?year=2004', 422],
      ['/search?q=a&page=x', 422],
      ['/tags?page=0', 422],
    ] as const)
      assert.equal((await get(path)).status, status, path)
  })

  it('escape input in responses', async () => {
    for (const payload of PAYLOADS)
      for (const path of [
        '/search',
        '/search/instant',
        '/galgames',
        '/tags',
        '/collections',
        '/users',
        '/light-novels',
        '/docs',
        '/docs/callback',
      ]) {
        const query = new URLSearchParams({ q: payload, tag: payload, view: payload })
        const { text, headers } = await get(`${path}?${query.toString()}`)
        assert.deepEqual(unescapedIn(text), [], `${path} ${payload}`)
        assert.equal(headers['x-content-type-options'], 'nosniff')
        assert.match(
          String(headers['content-security-policy']),
          /default-src 'none'.*script-src 'self';/,
        )
      }
  })

  it('respond to unsupported methods with an error page for browsers', async () => {
    const page = await send(service.url, '/galgames', { method: 'POST', headers: HTML })
    assert.deepEqual([page.status, page.headers.allow], [405, 'GET, HEAD, OPTIONS'])
    assert.match(page.text, /<h1>Page not found<\/h1>/)
    const json = await send(service.url, '/galgames', { method: 'DELETE' })
    assert.match(json.text, /^\{"success":false/)
  })

  it('list in the sitemap exactly the pages that guests can see', async () => {
    const index = (await get('/sitemap.xml')).text
    const parts = [...index.matchAll(/<loc>([^<]+)<\/loc>/g)].map(
      ([, url = '']) => new URL(url).pathname,
    )
    assert.equal(parts.length, 7)
    const urls = (await Promise.all(parts.map((part) => get(part)))).flatMap(({ text }) =>
      [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url = '']) => new URL(url).pathname),
    )
    const works = await sampleWorks(service.db)
    assert.deepEqual(
      urls.filter((path) => /^\/galgames\/\d/.test(path)),
      works.galgame.map((id) => `/galgames/${id}`),
    )
    const lists = ENTRY_KINDS.map((kind) => `/${KINDS[kind].path}`)
    for (const path of ['/', ...lists, '/tags', '/guide', '/guide/start', '/docs'])
      assert.ok(urls.includes(path), path)
    const unsupportedPaths = [...ENTRY_KINDS.map((kind) => KINDS[kind].path), 'readers'].flatMap(
      (name) => [`${name}-9`, `${name}-999999`],
    )
    for (const part of [
      ...unsupportedPaths,
      'galgames-0',
      'galgames-01',
      'galgames-2000000',
      'nothing-1',
      'pages-1',
    ])
      assert.equal((await get(`/sitemaps/${part}.xml`)).status, 404, part)
    assert.equal((await get('/sitemaps/galgames-1')).status, 404)
  })

  it('list the newest works in the feed', async () => {
    const { text, headers } = await get('/feeds/new.atom')
    assert.equal(headers['content-type'], 'application/atom+xml; charset=utf-8')
    const ids = [...text.matchAll(/<entry><id>[^<]*\/(\d+)<\/id>/g)].map(([, id]) => Number(id))
    assert.equal(ids.length, 50)
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => b - a),
    )
    const repeated = await get('/feeds/new.atom', { 'if-none-match': String(headers.etag) })
    assert.equal(repeated.status, 304)
  })

  it('direct crawlers, security researchers and password managers to the right URLs', async () => {
    assert.match(
      (await get('/robots.txt')).text,
      /Disallow: \/account\n.*Sitemap: http.*\/sitemap\.xml\n$/s,
    )
    const security = (await get('/.well-known/security.txt')).text
    assert.match(security, /^Contact: https:\/\/safe\.example\/report\nExpires: \d{4}-\d\d-\d\dT/)
    assert.equal((await get('/.well-known/change-password')).headers.location, '/account/password')
    const icon = await get(String((await get('/favicon.ico')).headers.location))
    assert.equal(icon.headers['content-type'], 'image/vnd.microsoft.icon')
  })
})
