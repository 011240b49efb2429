import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, before, describe, it } from 'node:test'
import {
  createClient,
  createUser,
  completeFlow,
  authorizationRequest,
} from '#test/authorization.ts'
import { PlainBrowser } from '#test/browser.ts'
import { freePort } from '#test/free-port.ts'
import { startService, type TestService } from '#test/service.ts'

/** Loopback addresses of this machine. IPv6 may be unavailable. */
const addresses: string[] = ['127.0.0.1']
const takes = (port: number, host: string) =>
  new Promise<(() => void) | undefined>((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, host, () => resolve(() => void server.close()))
  })

describe('a service on localhost', () => {
  let service: TestService
  let port: string
  before(async () => {
    const release = await takes(0, '::1')
    if (release) addresses.push('[::1]')
    release?.()
    service = await startService({ content: 'empty', environment: { HOST: 'localhost' } })
    port = new URL(service.url).port
  })
  after(() => service.close())

  const send = (host: string, path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`http://${host}:${port}${path}`, { method, headers, redirect: 'manual' })
  const HTML = { accept: 'text/html,application/xhtml+xml' }

  it('serves programs on both loopback addresses, always with http://localhost as the issuer', async () => {
    assert.equal(service.url, `http://localhost:${port}`)
    for (const host of [...addresses, 'localhost']) {
      const discovery = await send(host, '/oidc/.well-known/openid-configuration', {
        accept: '*/*',
      })
      // as: the test checks the members
      const { issuer } = (await discovery.json()) as { issuer: string }
      assert.equal(issuer, `${service.url}/oidc`, host)
      assert.equal((await send(host, '/oidc/token', HTML, 'POST')).status, 400, host)
      assert.equal((await send(host, '/sign-in')).status, 200, host)
    }
  })

  it('redirects page requests to its own host name and keeps path and query', async () => {
    for (const host of addresses) {
      const { status, headers } = await send(host, '/sign-in?a=%20b&ui_locales=ja', HTML)
      assert.deepEqual(
        [status, headers.get('location'), headers.get('cache-control')],
        [307, `${service.url}/sign-in?a=%20b&ui_locales=ja`, 'no-store'],
      )
    }
    assert.equal((await send('localhost', '/sign-in', HTML)).status, 200)
    // Requests with a different host name or port are not redirected.
    assert.ok((await raw(`127.0.0.1:${port}`)).includes('location:'))
    for (const host of ['evil.example', `127.0.0.1:${Number(port) + 1}`, '127.0.0.1'])
      assert.equal((await raw(host)).includes('location:'), false, host)
  })

  /** Requests a page from 127.0.0.1 with the given `Host` header. */
  async function raw(host: string): Promise<string> {
    const { request } = await import('node:http')
    return new Promise((resolve, reject) => {
      request(
        { host: '127.0.0.1', port, path: '/sign-in', headers: { ...HTML, host } },
        (response) => {
          response.resume().on('end', () => resolve(`${Object.keys(response.headers).join(': ')}:`))
        },
      )
        .on('error', reject)
        .end()
    })
  }

  it('completes an authorization that began under another host name', async () => {
    const app = await createClient(service)
    const user = await createUser(service)
    const { path } = authorizationRequest(app)
    const first = await send('127.0.0.1', path, HTML)
    const browser = new PlainBrowser(service.url)
    const visit = await completeFlow(
      browser,
      await browser.get(first.headers.get('location') ?? ''),
      user,
    )
    assert.match(visit.location ?? '', /code=/)
  })

  it('rejects a cross-origin form and names the correct URL', async () => {
    for (const headers of [{ origin: `http://127.0.0.1:${port}` }, {}] as Record<
      string,
      string
    >[]) {
      const response = await send('127.0.0.1', '/sign-in', { ...HTML, ...headers }, 'POST')
      assert.equal(response.status, 403)
      assert.match(await response.text(), new RegExp(`open ${service.url} and try again`))
    }
  })

  it('fails to start if another program uses one of its addresses', async () => {
    for (const host of addresses) {
      const taken = await freePort()
      const release = await takes(taken, host.replaceAll(/[[\]]/g, ''))
      const starting = startService({
        content: 'empty',
        environment: { HOST: 'localhost', PORT: String(taken) },
      })
      await assert.rejects(starting, { code: 'EADDRINUSE' }, host)
      release?.()
    }
  })
})
