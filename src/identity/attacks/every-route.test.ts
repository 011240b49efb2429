import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setRole } from '../../accounts/role-queries.ts'
import { routesOf } from '#test/routes.ts'
import { createUser, signedInBrowser } from '#test/authorization.ts'
import { PlainBrowser } from '#test/browser.ts'
import { signIn, type SignedInUser } from '#test/user-api.ts'
import { startService, type TestService } from '#test/service.ts'

/** Percent-encoded values of a parameter, including invalid UTF-8. */
const MALFORMED = ['1', '9'.repeat(30), '%00', '%ed%a0%80', '__proto__']

/** Field names of all forms, bodies and queries. */
const NAMES =
  'page page_size sort status q kind kinds id ids cursor before after limit year tag nsfw source match name email password note reason position act title description redirect_uris scopes client_name time_zone language work works decision code confirmation field value from into role end rate rate_content picture token text'.split(
    ' ',
  )

describe('every route', () => {
  let service: TestService
  let admin: PlainBrowser
  let caller: SignedInUser
  let routes: { method: string; url: string }[]
  before(async () => {
    service = await startService({
      environment: { IMAGE_REQUESTS_PER_MINUTE: '1000000', IMAGES: 'off' },
    })
    routes = routesOf(service).filter(
      // Routes of the provider, which `garbage.test.ts` covers, and the sign-out.
      ({ method, url }) =>
        !/^\/oidc|\*|sign-out/.test(url) && /^(GET|POST|PUT|PATCH|DELETE)$/.test(method),
    )
    const { id, email, password } = await createUser(service)
    await setRole(service.db, id, 'ADMIN')
    admin = await signedInBrowser(service, { email, password })
    caller = await signIn(service)
  })
  after(() => service.close())

  it('is found by this test', () => {
    for (const url of [
      '/',
      '/galgames/:id',
      '/library',
      '/console',
      '/desk',
      '/docs/:id',
      '/account',
    ])
      assert.ok(
        routes.some((item) => item.method === 'GET' && item.url === url),
        `${url} is not among ${routes.length}`,
      )
    assert.ok(routes.length > 250, String(routes.length))
  })

  /** Responses with a server error, and requests without a response. */
  async function failuresOf(
    toRequest: (malformed: string, index: number) => [string, RequestInit][],
  ) {
    const failures: string[] = []
    const send = async ([path, init]: [string, RequestInit]) => {
      const signal = AbortSignal.timeout(30_000)
      const outcome = await fetch(service.url + path, { redirect: 'manual', signal, ...init }).then(
        async (response) => {
          await response.arrayBuffer()
          return response.status
        },
        (error: unknown) => String(error),
      )
      if (typeof outcome !== 'number' || outcome >= 500)
        failures.push(`${init.method} ${path.slice(0, 120)}: ${outcome}`)
    }
    for (const [index, malformed] of MALFORMED.entries()) {
      const requests = toRequest(malformed, index)
      for (let begin = 0; begin < requests.length; begin += 20)
        await Promise.all(requests.slice(begin, begin + 20).map(send))
    }
    return failures
  }
  const pathWith = (url: string, malformed: string) =>
    url.replaceAll(/:\w+(\([^)]*\))?/g, malformed)
  /** Returns a subset of the fields that differs from call to call. */
  const fieldsOf = (malformed: string, index: number) =>
    NAMES.filter((_, position) => (position + index) % 5 === 0).map(
      (name) => `${name}=${malformed.slice(0, 500)}`,
    )

  it('never fails on malformed parameters or queries, for guests and authorized users', async () => {
    const cookie = admin.cookieHeader()
    const authorization = `Bearer ${caller.token}`
    const failures = await failuresOf((malformed, index) =>
      routes
        .filter(({ method }) => method === 'GET')
        .flatMap(({ method, url }, position): [string, RequestInit][] => {
          const query = fieldsOf(malformed, index)[position % 9] ?? ''
          const path = `${pathWith(url, malformed)}?${query}`
          const html = { accept: 'text/html' }
          return [
            [path, { method, headers: { ...html, cookie } }],
            [path, { method, headers: index % 2 ? html : { authorization } }],
          ]
        }),
    )
    assert.deepEqual(failures, [])
  })

  it('never fails on malformed bodies', async () => {
    const page = await admin.get('/account/preferences')
    const csrf = page.forms.find(({ fields }) => '_csrf' in fields)?.fields['_csrf'] ?? ''
    assert.ok(csrf)
    const cookie = admin.cookieHeader()
    const bodies = [
      '',
      '[]',
      '{}',
      'null',
      '"x"',
      '{"a":',
      '[[[[',
      '{"status":7,"name":[],"title":{}}',
    ]
    const failures = await failuresOf((malformed, index) =>
      routes
        .filter(({ method }) => method !== 'GET')
        .map(({ method, url }): [string, RequestInit] => {
          const path = pathWith(url, malformed)
          if (/^\/(api|v3)/.test(url)) {
            const headers = {
              authorization: `Bearer ${caller.token}`,
              'content-type': 'application/json',
            }
            return [path, { method, headers, body: bodies[index % bodies.length] ?? '' }]
          }
          const body = `_csrf=${encodeURIComponent(csrf)}&${fieldsOf(malformed, index).join('&')}`
          const headers = {
            cookie,
            accept: 'text/html',
            'content-type': 'application/x-www-form-urlencoded',
          }
          return [path, { method, headers: { ...headers, origin: service.url }, body }]
        }),
    )
    assert.deepEqual(failures, [])
  })
})
