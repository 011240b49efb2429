import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { routesOf } from '#test/routes.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'

/** Routes that accept forms from anonymous visitors. Each form is small and rate-limited by IP address. */
const PUBLIC = [
  /^\/oidc\/(?:auth|device|request|session|token|me)/,
  /^\/(?:sign-in|sign-up|sign-out|forgotten-password|reset-password|not-me|interaction)(?:\/|$)/,
]
/** Maximum routes named in a failure. */
const MAX_REPORTED = 3
const TYPES = [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=B',
]

describe('an anonymous request with a body', () => {
  let service: TestService
  before(async () => {
    service = await shareService()
  })
  after(() => service.close())

  /** Returns the response status of a request whose body never arrives. */
  async function statusWithoutBody(method: string, path: string, type: string): Promise<number> {
    const { host, hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname)
    const head = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, `Origin: ${service.url}`]
    socket.write([...head, `Content-Type: ${type}`, 'Content-Length: 10', '', ''].join('\r\n'))
    try {
      const [data] = (await once(socket, 'data', { signal: AbortSignal.timeout(10_000) })) as [
        Buffer,
      ]
      return Number(/^HTTP\/1\.1 (\d+)/.exec(data.toString('latin1'))?.[1])
    } catch {
      return 0
    } finally {
      socket.destroy()
    }
  }

  it('is rejected before its body is read, on every route that requires authentication', async () => {
    const routes = routesOf(service).filter(
      ({ method, url }) =>
        ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) &&
        !PUBLIC.some((path) => path.test(url)),
    )
    assert.ok(routes.length > 80, String(routes.length))
    const wrong: string[] = []
    for (const { method, url } of routes) {
      // Each failure waits for a timeout: report the first ones instead of running out of time.
      if (wrong.length >= MAX_REPORTED) break
      for (const type of TYPES) {
        const status = await statusWithoutBody(
          method,
          url.replaceAll(/:\w+(?:\([^)]*\))?/g, '1').replace('*', 'any'),
          type,
        )
        if (![303, 401, 404, 405].includes(status))
          wrong.push(`${method} ${url} ${type}: ${status}`)
        if (status === 0) break
      }
    }
    assert.deepEqual(wrong, [])
  })
})
