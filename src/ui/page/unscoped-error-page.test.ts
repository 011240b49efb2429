import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startService, type TestService } from '#test/service.ts'
import { signInCookie } from '#test/signed-in-page.ts'

const HTML = { accept: 'text/html,application/xhtml+xml' }

describe('an error page outside the page scopes', () => {
  let service: TestService
  before(async () => {
    service = await startService({
      content: 'empty',
      environment: { TOKEN_REQUESTS_PER_MINUTE: '2' },
    })
  })
  after(() => service.close())

  const send = async (path: string, headers: Record<string, string>, method = 'GET') => {
    const response = await fetch(service.url + path, { method, headers, redirect: 'manual' })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  it('is in the viewer’s language for a browser, with a next step', async () => {
    for (const [path, method, status] of [
      ['/nothing', 'GET', 404],
      ['/account/nothing', 'GET', 404],
      ['/oidc/nothing', 'GET', 404],
      ['/oidc/session/end/confirm', 'GET', 405],
      ['/oidc/auth', 'PUT', 405],
    ] as const) {
      const japanese = await send(path, { ...HTML, 'accept-language': 'de, ja;q=0.5' }, method)
      assert.deepEqual(
        [japanese.status, japanese.headers.get('content-type')],
        [status, 'text/html; charset=utf-8'],
      )
      assert.match(
        japanese.text,
        /<html lang="ja">.*<h1>ページが見つかりません<\/h1>.*href="\/account"/s,
        path,
      )
      assert.equal(japanese.headers.get('cache-control'), 'no-store')
      assert.match(japanese.headers.get('content-security-policy') ?? '', /default-src 'none'/)
      assert.equal(japanese.headers.has('allow'), status === 405)
      const chosen = await send(path, { ...HTML, cookie: 'a=b; mokuroku-lang=zh-Hans' }, method)
      assert.match(chosen.text, /<html lang="zh-Hans">/)
    }
  })

  it('greets only a signed-in viewer and is not cached, while the API ignores cookies', async () => {
    const cookie = await signInCookie(service, { nsfw: false, name: 'Rin Sato' })
    const forged = cookie.replaceAll(/=[^;]*/g, '=forged')
    for (const [path, method, status] of [
      ['/nothing', 'GET', 404],
      ['/account/nothing', 'GET', 404],
      ['/oidc/nothing', 'GET', 404],
      ['/oidc/auth', 'PUT', 405],
      ['/%zz', 'GET', 400],
    ] as const) {
      const greeted = await send(path, { ...HTML, cookie }, method)
      assert.equal(greeted.status, status)
      assert.match(greeted.text, /class="who">.*<span class="name">Rin Sato</s, path)
      assert.equal(greeted.headers.get('cache-control'), 'no-store')
      for (const others of [{}, { cookie: forged }]) {
        const { text } = await send(path, { ...HTML, ...others }, method)
        assert.match(text, /href="\/account"[^>]*>Sign in</, path)
        assert.doesNotMatch(text, /Rin Sato/)
      }
    }
    const [guests, users] = await Promise.all(
      [{}, { cookie }].map((more) => send('/v3/nothing', { ...HTML, ...more })),
    )
    const withoutIds = (text = '') => text.replaceAll(/"(request_id|timestamp)":"[^"]*"/g, '')
    assert.equal(withoutIds(users?.text), withoutIds(guests?.text))
  })

  it('is JSON for programs, and for every client below the API paths', async () => {
    for (const [path, headers, method, members] of [
      ['/nothing', { accept: '*/*' }, 'GET', /^\{"success":false/],
      ['/v3/nothing', HTML, 'GET', /^\{"success":false/],
      ['/api/v3/open/nothing', HTML, 'GET', /^\{"success":false/],
      ['/oidc/nothing', {}, 'GET', /^\{"error":"invalid_request"/],
      ['/oidc/auth', { accept: 'application/json' }, 'PUT', /^\{"error":"invalid_request"/],
      // Java sends this header by default.
      [
        '/oidc/token',
        { accept: 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2' },
        'GET',
        /^\{"error"/,
      ],
    ] as const) {
      const { headers: received, text } = await send(path, headers, method)
      assert.match(received.get('content-type') ?? '', /^application\/json/, path)
      assert.match(text, members)
    }
  })

  it('offers a link to retry after too many requests', async () => {
    const path = '/oidc/auth?client_id=a&state=%22%3E%3Cb'
    const statuses = [await send(path, HTML), await send(path, HTML)].map(({ status }) => status)
    assert.deepEqual(statuses, [400, 400])
    const { status, headers, text } = await send(path, HTML)
    assert.equal(status, 429)
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    assert.equal(headers.get('x-ratelimit-remaining'), '0')
    assert.match(
      text,
      /Too many requests.*href="\/oidc\/auth\?client_id=a&amp;state=%22%3E%3Cb">Try again/s,
    )
    assert.match((await send(path, {})).text, /^\{"error":"temporarily_unavailable"/)
  })
})
