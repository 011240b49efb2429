import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { malformedParametersOf } from './query-encoding.ts'

/** Truncated, overlong and surrogate sequences of UTF-8, and malformed percent-encoding. */
const NOT_UTF8 = ['%ff', 'a%ff%fe', '%F0%9F', '%c0%80', '%ed%a0%80', '%%ff']
const NOT_ENCODED = ['%zz', '%', '%4', '100%&']
const MALFORMED = [...NOT_UTF8, ...NOT_ENCODED]

/** Parameters that are well formed, however unusual they are. */
const WELL_FORMED = [
  '%EF%BF%BD',
  'a%EF%BF%BDb',
  '%E6%9C%AC',
  '%F0%9F%8C%B8',
  '100%25',
  '%2525',
  '+',
]

describe('malformedParametersOf', () => {
  it('names each malformed parameter once', () => {
    for (const [url, names] of [
      ['/search', []],
      ['/tags/%ff', []],
      ['/search?q=a&page=2', []],
      ['/search?q=%ff', ['q']],
      ['/search?a=%E6%9C&b=%AC&c=1', ['a', 'b']],
      ['/search?q=%ff&q=%fe&q=%zz', ['q']],
      ['/search?%ff=1&%zz', []],
      ['/search?%71=%ff', ['q']],
      ['/search?a=b=%ff', ['a']],
      ['/search?x?y=%ff', ['x?y']],
    ] as const)
      assert.deepEqual(malformedParametersOf(url), names, url)
    for (const value of WELL_FORMED) assert.deepEqual(malformedParametersOf(`/?q=${value}`), [])
  })
})

describe('a query that is not percent-encoded UTF-8', () => {
  let service: TestService
  let token: string
  before(async () => {
    service = await shareService()
    token = await service.token('catalog:full')
  })
  after(() => service.close())

  const open = (path: string, headers: Record<string, string> = {}) =>
    fetch(service.url + path, { headers, redirect: 'manual' })

  it('gets 422 from the API, with the name of the parameter', async () => {
    for (const value of MALFORMED)
      for (const path of ['/v3/search?q=', '/api/v3/open/galgames?tag=']) {
        const response = await service.get(path + value, token)
        const { error } = (await response.json()) as { error: Record<string, unknown> }
        const [, field] = /\?(\w+)=/.exec(path) ?? []
        assert.deepEqual(
          [response.status, error['code'], error['field_errors']],
          [
            422,
            'COMMON_VALIDATION_FAILED',
            [{ field, message: 'must be percent-encoded UTF-8, such as %E6%9C%AC', code: 'rule' }],
          ],
          path + value,
        )
      }
  })

  it('gets 401 from the API without a token, like any other query', async () => {
    assert.equal((await open('/v3/user/me?x=%ff')).status, 401)
  })

  it('gets an error page with 422 if its bytes are not UTF-8, while plain percent signs are kept', async () => {
    for (const path of ['/search?q=', '/search/instant?q=', '/search?q=a&page=', '/tags?x=100%&q='])
      for (const value of NOT_UTF8) {
        const page = await open(path + value, { accept: 'text/html' })
        assert.equal(page.status, 422, path + value)
        assert.match(await page.text(), /couldn’t read what you sent/)
      }
    for (const value of NOT_ENCODED) {
      const page = await open(`/search?q=${value}`, { accept: 'text/html' })
      assert.equal(page.status, 200, value)
      assert.ok((await page.text()).includes(`name="q" value="${value.replace('&', '')}"`), value)
    }
  })

  it('is ignored in unknown parameters, and by the OpenID provider', async () => {
    for (const value of MALFORMED) {
      for (const path of [`/v3/galgames/1?unknown=${value}`, `/v3/search?q=a&${value}=1`])
        assert.equal((await service.get(path, token)).status, 200, path)
      for (const path of [`/health/live?x=${value}`, `/search?q=a&unknown=${value}`])
        assert.equal((await open(path)).status, 200, path)
      const signedOut = await open(`/oidc/session/end?state=${value}`)
      assert.ok([200, 303].includes(signedOut.status), value)
    }
  })

  it('is accepted if it contains the replacement character itself', async () => {
    for (const value of WELL_FORMED) {
      assert.equal((await service.get(`/v3/search?q=a${value}`, token)).status, 200, value)
      assert.equal((await open(`/search?q=a${value}`, { accept: 'text/html' })).status, 200, value)
    }
  })
})
