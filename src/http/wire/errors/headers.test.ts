import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'

describe('a browser on another origin', () => {
  let service: TestService
  before(async () => {
    service = await shareService()
  })
  after(() => service.close())

  it('may send the allowed methods and headers, and may cache the preflight response for a day', async () => {
    for (const path of [
      '/v3/galgames/1',
      '/v3/user/me/rates',
      '/api/v3/user/me/developer/apps',
      '/oidc/me',
      '/oidc/token',
      '/oidc/jwks',
      '/openapi.json',
    ]) {
      const { status, headers } = await fetch(service.url + path, { method: 'OPTIONS' })
      assert.equal(status, 204, path)
      assert.deepEqual(
        ['origin', 'methods', 'headers'].map((name) => headers.get(`access-control-allow-${name}`)),
        [
          '*',
          'GET, HEAD, POST, PUT, PATCH, DELETE',
          'Authorization, Content-Type, If-Match, If-None-Match, Mcp-Method, Mcp-Name, MCP-Protocol-Version, X-Request-Id',
        ],
        path,
      )
      assert.equal(headers.get('access-control-max-age'), '86400', path)
    }
  })

  it('cannot read responses of routes that use cookies, including refusals', async () => {
    for (const [method, path] of [
      ['GET', '/oidc/auth'],
      ['GET', '/oidc/auth/nobody'],
      ['GET', '/oidc/device'],
      ['GET', '/oidc/session/end'],
      ['POST', '/oidc/session/end'],
      ['POST', '/oidc/session/end/confirm'],
      ['DELETE', '/oidc/auth'],
      ['GET', '/sign-in'],
      ['GET', '/account'],
    ] as const) {
      const { headers } = await fetch(service.url + path, {
        method,
        redirect: 'manual',
        headers: { origin: 'https://evil.example' },
      })
      const names = [...headers.keys()].filter((name) => name.startsWith('access-control-'))
      assert.deepEqual(names, [], `${method} ${path}`)
    }
  })

  it('can read every header of an API response', async () => {
    const { headers } = await service.get('/v3/galgames/1', await service.token())
    const exposed = headers.get('access-control-expose-headers')?.toLowerCase().split(', ') ?? []
    for (const name of [
      'x-request-id',
      'ratelimit',
      'x-ratelimit-remaining',
      'retry-after',
      'etag',
      'link',
    ])
      assert.ok(exposed.includes(name), name)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
  })
})
