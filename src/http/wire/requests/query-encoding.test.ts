import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { malformedParametersOf } from './query-encoding.ts'

/** Truncated, overlong and surrogate sequences of UTF-8, and malformed percent-encoding. */
const MALFORMED = ['%ff', 'a%ff%fe', '%F0%9F', '%c0%80', '%ed%a0%80', '%zz', '%', '%4', '100%&']

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

  it('is ignored in unknown parameters, and by pages and the OpenID provider', async () => {
    for (const value of MALFORMED) {
      for (const path of [`/v3/galgames/1?unknown=${value}`, `/v3/search?q=a&${value}=1`])
        assert.equal((await service.get(path, token)).status, 200, path)
      assert.equal((await service.get(`/health/live?x=${value}`)).status, 200, value)
      const page = await open(`/search?q=a${value}`, { accept: 'text/html' })
      assert.equal(page.status, 200, value)
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
