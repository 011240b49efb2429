import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { DEFAULT_ENGINE } from '#test/databases.ts'
import { startService, type TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { GUIDE_PAGES } from './guide-pages.ts'

describe('the guide for programs', () => {
  let service: TestService
  before(async () => {
    service = await shareService()
  })
  after(() => service.close())

  it('is complete Markdown without placeholders on every page', async () => {
    for (const page of GUIDE_PAGES) {
      const response = await service.get(`/guide/${page}.md`)
      const text = await response.text()
      assert.equal(response.status, 200, page)
      assert.equal(response.headers.get('content-type'), 'text/markdown; charset=utf-8')
      assert.match(text, /^# \S/, page)
      assert.doesNotMatch(text, /^::|\{(?:base|api|auth)\}|\{#|\]\(\//m, page)
    }
  })

  it('contains its programs and the errors of the API', async () => {
    const start = await (await service.get('/guide/start.md')).text()
    assert.match(start, /^`catalog.mjs`:\n\n```mjs\n/m)
    assert.ok(start.includes(`curl -o sdk.js '${service.url}/assets/sdk.js'`))
    const answers = await (await service.get('/guide/answers.md')).text()
    assert.match(answers, /^\| 404 \| `WIKI_RESOURCE_MERGED` \| .+ \|$/m)
  })

  it('begins with an overview in which every link works', async () => {
    const text = await (await service.get('/llms.txt')).text()
    assert.match(text, /^# \S.*\n\n> \S/)
    const links = [...text.matchAll(/\]\((http[^)]+)\)/g)].map(([, url = '']) => url)
    assert.equal(links.length, GUIDE_PAGES.length + 3)
    for (const url of links) assert.equal((await fetch(url)).status, 200, url)
  })

  it('describes the settings of the service', async () => {
    const texts = [await (await service.get('/llms.txt')).text()]
    const changed = await startService({
      engine: DEFAULT_ENGINE,
      environment: { MCP: 'off', ANONYMOUS_CATALOG: 'on', CATALOG_REQUESTS_PER_MINUTE: '7' },
    })
    texts.push(await (await changed.get('/llms.txt')).text())
    await changed.close()
    for (const [fact, ...expected] of [
      [/\/mcp\b/, true, false],
      [/^- Every request needs an access token/m, true, false],
      [/^- Requests to the catalog also work without a token/m, false, true],
      [/ 7 requests per minute/, false, true],
    ] as const)
      assert.deepEqual(
        texts.map((text) => fact.test(text)),
        expected,
        String(fact),
      )
  })

  it('is cached for an hour and then revalidated, by programs of any origin', async () => {
    for (const path of ['/llms.txt', '/guide/start.md']) {
      const { headers } = await service.get(path)
      assert.equal(headers.get('cache-control'), 'public, max-age=3600')
      assert.equal(headers.get('access-control-allow-origin'), '*')
      const known = { 'if-none-match': headers.get('etag') ?? '' }
      assert.equal((await service.get(path, undefined, known)).status, 304)
    }
  })
})
