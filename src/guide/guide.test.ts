import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  ALL_SCOPES,
  authorize,
  CALLBACK,
  createClient,
  createUser,
  obtainTokens,
  type TestUser,
} from '#test/authorization.ts'
import { scriptPattern } from '#test/script-pattern.ts'
import { startService, type TestService } from '#test/service.ts'
import { memoryThrottle } from '../http/admission/throttle.ts'
import { LANGUAGES } from '../i18n/languages.ts'
import { GUIDE_PAGES, guideTexts, type GuidePageName } from './guide-pages.ts'
import { readMarkdown, type Block } from './markdown.ts'

type Example = {
  method: string
  path: string
  headers: [string, string][]
  body: string | null
  expected: Expected
}
type Expected = { status: number; headers: [string, string][]; body: unknown }

const textOf = guideTexts()

/** Request and response, as shown on a page. */
function readExample(text: string): Example {
  const [request = '', response = ''] = text.split(/^HTTP\/1\.1 /m)
  const part = (lines: string) => {
    const [head = '', ...rest] = lines.trim().split('\n\n')
    const [first = '', ...headers] = head.split('\n')
    const pairs = headers.map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trim()]
    })
    return { first, headers: pairs, body: rest.length === 0 ? null : rest.join('\n\n') }
  }
  const requested = part(request)
  const answered = part(response)
  const [method = '', path = ''] = requested.first.split(' ')
  const body: unknown = answered.body === null ? undefined : JSON.parse(answered.body)
  const expected = { status: Number.parseInt(answered.first, 10), headers: answered.headers, body }
  return { method, path, headers: requested.headers, body: requested.body, expected }
}

/** Whether a value contains the expected parts. `…` matches any string. */
function assertContains(actual: unknown, expected: unknown, path: string): void {
  if (typeof expected === 'string' && expected.endsWith('…')) {
    assert.ok(
      typeof actual === 'string' && actual.startsWith(expected.slice(0, -1)),
      `${path}: ${String(actual)}`,
    )
    assert.notEqual(actual, '', path)
  } else if (typeof expected === 'object' && expected !== null) {
    assert.ok(typeof actual === 'object' && actual !== null, `${path}: ${String(actual)}`)
    for (const [key, value] of Object.entries(expected))
      // as: an object or an array
      assertContains((actual as Record<string, unknown>)[key], value, `${path}.${key}`)
  } else assert.equal(actual, expected, path)
}

describe('an example in the guide', () => {
  let service: TestService
  let user: TestUser
  const filled: Record<string, string> = {}
  before(async () => {
    // Stops the clock, so that the rate limit window stays open until its example is checked.
    service = await startService({ throttle: memoryThrottle(undefined, () => 0) })
    user = await createUser(service, 'Ann')
    const tokenOf = (scope: string, requestsPerMinute: number | null = null) =>
      service.token(scope, { requestsPerMinute })
    const app = await createClient(service)
    const tokens = await obtainTokens(service, {
      app,
      user,
      scope: ['openid profile', ...ALL_SCOPES].join(' '),
    })
    const busy = await tokenOf('catalog:full', 1)
    await service.get('/api/v3/open/characters/1', busy)
    Object.assign(filled, {
      USER_TOKEN: tokens.access_token,
      SYNC_TOKEN: await tokenOf('catalog:sync'),
      BUSY_TOKEN: busy,
      TOKEN: await tokenOf('catalog:full'),
    })
  })
  after(() => service.close())

  const examplesOf = (page: GuidePageName) =>
    textOf(page, 'en').flatMap((block) =>
      block.kind === 'code' && block.info.startsWith('http') ? [readExample(block.text)] : [],
    )

  /** Returns values for a page's placeholders, from an app with the permissions it needs. */
  async function namesOn(page: GuidePageName): Promise<Record<string, string>> {
    const isDevice = page === 'device'
    const app = await createClient(service, {
      clientType: page === 'start' ? 'confidential' : 'public',
      applicationType: 'native',
      redirectUris: isDevice ? [] : [CALLBACK],
    })
    const credentials = Buffer.from(`${app.clientId}:${app.secret}`).toString('base64')
    const names = {
      'BASE64(CLIENT_ID:CLIENT_SECRET)': credentials,
      CLIENT_ID: app.clientId,
      REDIRECT_URI: encodeURIComponent(CALLBACK),
    }
    if (page !== 'sign-in') return names
    const { code, verifier } = await authorize(service, { app, user, scope: 'openid status:write' })
    const { refresh_token = '' } = await obtainTokens(service, {
      app,
      user,
      scope: 'openid status:write offline_access',
      prompt: 'consent',
    })
    return { ...names, CODE: code, VERIFIER: verifier, REFRESH_TOKEN: refresh_token }
  }

  for (const page of GUIDE_PAGES.filter((item) => item !== 'clients'))
    it(`gets the documented response on the page ${page}`, async () => {
      const names: Record<string, string> = { ...filled, ...(await namesOn(page)) }
      const fill = (text: string) =>
        Object.entries(names).reduce(
          (done, [name, value]) =>
            done.replaceAll(new RegExp(`(?<![A-Z_])${RegExp.escape(name)}(?![A-Z_])`, 'g'), value),
          text.replaceAll(/\{(base|auth|api)\}/g, service.url),
        )
      for (const { method, path, headers, body, expected } of examplesOf(page)) {
        const response = await fetch(service.url + path, {
          method,
          headers: headers.map(([name, value]): [string, string] => [name, fill(value)]),
          body: body === null ? null : fill(body),
        })
        const text = await response.text()
        const operation = `${method} ${path}`
        assert.equal(response.status, expected.status, `${operation}: ${text}`)
        for (const [name, value] of expected.headers)
          assertContains(response.headers.get(name), fill(value), `${operation} ${name}`)
        const json: unknown = text === '' ? undefined : JSON.parse(text)
        if (expected.body !== undefined)
          assertContains(json, JSON.parse(fill(JSON.stringify(expected.body))), operation)
        names['ETAG'] = response.headers.get('etag') ?? ''
        if (typeof json === 'object' && json !== null && 'device_code' in json)
          names['DEVICE_CODE'] = String(json.device_code)
      }
    })

  it('runs no package from a registry, because this program is not published', () => {
    for (const language of LANGUAGES)
      for (const page of GUIDE_PAGES)
        assert.doesNotMatch(
          JSON.stringify(textOf(page, language)),
          /\bnpx\b/,
          `${language} ${page}`,
        )
  })

  it('occurs at least 24 times across all pages', () => {
    const count = GUIDE_PAGES.flatMap(examplesOf).length
    assert.ok(count >= 24, String(count))
  })

  it("appears on a page in the viewer's language, except on the page about tested clients", async () => {
    for (const language of LANGUAGES)
      for (const page of GUIDE_PAGES) {
        const headers = { accept: 'text/html', 'accept-language': language }
        const text = await (await service.get(`/guide/${page}`, undefined, headers)).text()
        const isForeign = page === 'clients' && language !== 'en'
        assert.match(text, new RegExp(`<html[^>]* lang="${language}"`), `${language} ${page}`)
        assert.equal(
          /<div lang="en">|<p class="notice">/.test(text),
          isForeign,
          `${language} ${page}`,
        )
      }
  })

  it('appears on a page without broken links', async () => {
    const seen = new Set<string>()
    for (const page of ['/guide', ...GUIDE_PAGES.map((name) => `/guide/${name}`)]) {
      const response = await service.get(page, undefined, { accept: 'text/html' })
      const text = await response.text()
      assert.equal(response.status, 200, page)
      const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(text) ?? []
      assert.doesNotMatch(main, /undefined|\{(base|auth|api)\}|::[a-z]|\]\(\//, page)
      for (const [, href = ''] of main.matchAll(/href="([^"]+)"/g)) {
        const [path = '', anchor] = href.split('#')
        if (path.startsWith('https:') || path === '/console') continue
        const target = path === '' ? page : path
        const other = await (await service.get(target, undefined, { accept: 'text/html' })).text()
        if (anchor !== undefined) assert.ok(other.includes(`id="${anchor}"`), `${page}: ${href}`)
        seen.add(target)
      }
    }
    for (const path of seen)
      assert.equal((await service.get(path, undefined, { accept: 'text/html' })).status, 200, path)
  })
})

describe('the text of the guide', () => {
  const shapeOf = (blocks: Block[]) =>
    blocks.map((block) => {
      if (block.kind === 'heading') return `${block.level} ${block.id}`
      if (block.kind === 'code') return block
      if (block.kind === 'made') return `${block.name} ${block.argument}`
      if (block.kind === 'table') return `table ${block.rows.length}`
      return block.kind === 'list' ? `list ${block.items.length}` : 'paragraph'
    })

  it('has the same parts and examples in every language', () => {
    for (const language of LANGUAGES)
      for (const page of GUIDE_PAGES) {
        // The heading of level 1 is the page title and has no anchor.
        const blocks = textOf(page, language).slice(1)
        assert.deepEqual(
          shapeOf(blocks),
          shapeOf(textOf(page, 'en').slice(1)),
          `${language} ${page}`,
        )
      }
  })

  it('is written in the language of its folder', () => {
    for (const language of LANGUAGES)
      for (const page of GUIDE_PAGES.filter((item) => item !== 'clients'))
        for (const [index, block] of textOf(page, language).entries())
          if (block.kind === 'paragraph' || block.kind === 'heading') {
            assert.match(block.text, scriptPattern(language), `${language} ${page}`)
            if (language !== 'en')
              assert.notDeepEqual(block, textOf(page, 'en')[index], `${language} ${page}`)
          }
  })

  it('is parsed as Markdown and otherwise escaped', () => {
    assert.deepEqual(
      readMarkdown(
        '# A\n\nfirst\nsecond\n\n- a\n  b\n- c\n\n```x\n# no\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n::made it',
      ),
      [
        { kind: 'heading', level: 1, id: 'a', text: 'A' },
        { kind: 'paragraph', text: 'first second' },
        { kind: 'list', isOrdered: false, items: ['a b', 'c'] },
        { kind: 'code', info: 'x', text: '# no' },
        { kind: 'table', head: ['a', 'b'], rows: [['1', '2']] },
        { kind: 'made', name: 'made', argument: 'it' },
      ],
    )
    for (const [text, joined] of [
      ['漢字は\n続く', '漢字は続く'],
      ['です。\nRFC 8628', 'です。RFC 8628'],
      ['PKCE\n付き', 'PKCE 付き'],
    ] as const)
      assert.deepEqual(readMarkdown(text), [{ kind: 'paragraph', text: joined }])
  })
})
