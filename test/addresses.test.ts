import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'

type ReceivedResponse = {
  status: number | undefined
  location: string | undefined
  origin: string | undefined
}

describe('a path that does not exist', () => {
  let service: TestService
  before(async () => void (service = await shareService()))
  after(() => service.close())

  /** Requests the path unchanged: `fetch` would normalize it. */
  const send = (path: string, method = 'GET', headers: Record<string, string> = {}) =>
    new Promise<ReceivedResponse>((resolve, reject) => {
      const { hostname, port } = new URL(service.url)
      request({ hostname, port, path, method, headers }, (response) => {
        response
          .resume()
          .on('end', () =>
            resolve({
              status: response.statusCode,
              location: response.headers.location,
              origin: response.headers['access-control-allow-origin'],
            }),
          )
      })
        .on('error', reject)
        .end()
    })

  it('redirects to the path without its trailing slash, for any method and with the query', async () => {
    for (const [path, location] of [
      ['/v3/galgames/1/', '/v3/galgames/1'],
      ['/api/v3/open/search/?q=a%2Fb&x=/', '/api/v3/open/search?q=a%2Fb&x=/'],
      ['/v3/user/me/', '/v3/user/me'],
      ['/guide/start/', '/guide/start'],
      ['/openapi.json/', '/openapi.json'],
    ] as const)
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const response = await send(path, method)
        assert.deepEqual([response.status, response.location], [308, location], `${method} ${path}`)
      }
    // These match the route of an entry, with an empty id.
    for (const [path, location] of [
      ['/v3/galgames/?page=2', '/v3/galgames?page=2'],
      ['/galgames/', '/galgames'],
    ] as const) {
      const response = await send(path)
      assert.deepEqual([response.status, response.location], [308, location], path)
    }
    assert.equal((await send('/v3/galgames/1/')).origin, '*')
  })

  it('does not redirect if the path without the slash does not exist, and never redirects to another host', async () => {
    for (const path of [
      '/v3/nothing/',
      '/v3/galgames/1//',
      '//example.org/',
      '///example.org/',
      '/\\example.org/',
      '//v3/galgames/1/',
      'http://example.org/v3/galgames/1/',
      '/%2F/example.org/',
      '/desk/',
    ]) {
      const { status, location } = await send(path)
      assert.ok(status !== undefined && status >= 400 && status < 500, `${path} ${status}`)
      assert.equal(location, undefined, path)
    }
  })

  it('returns a 404 that other origins can read', async () => {
    const preflight = { origin: 'https://app.example', 'access-control-request-method': 'GET' }
    for (const path of ['/v3/nothing', '/api/v3/open/nothing/1', '/v3/galgames/1/nothing']) {
      assert.deepEqual(
        await send(path, 'OPTIONS', preflight),
        { status: 204, location: undefined, origin: '*' },
        path,
      )
      const { status, origin } = await send(path)
      assert.deepEqual([status, origin], [404, '*'], path)
      assert.equal((await send(path, 'OPTIONS')).status, 404, path)
    }
    assert.equal((await send('/nothing', 'OPTIONS', preflight)).status, 404)
  })
})
