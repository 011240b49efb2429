import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { inspect } from 'node:util'
import {
  FORWARD_PROXY_MISSING,
  startForwardProxy,
  startOtherMachine,
  type ForwardProxy,
} from '#test/forward-proxy.ts'
import { listenLocally } from '#test/free-port.ts'
import { fetchOutbound } from './fetch-outbound.ts'
import { ProxyError } from './proxy-error.ts'
import { DIRECT, proxyFor, useProxy } from './proxy.ts'
import { NotPublicError } from './public-lookup.ts'
import { fetchPublic, requestOutbound } from './request-outbound.ts'

const PUBLIC_ADDRESS = '8.8.8.8'
const APP_HOST = 'app.example'
const resolveTo = (address: string) => async () => [{ address, family: 4 }]
const send = (url: string, milliseconds = 20_000) =>
  requestOutbound(new URL(url), { chosenBy: 'operator', signal: AbortSignal.timeout(milliseconds) })
const throughProxy = (url: string, noProxy: string[] = []) =>
  useProxy({ httpsProxy: url, httpProxy: url, noProxy })

/** Each function for outbound requests, wrapped to return the body of the response. */
const WAYS = {
  fetch: async (url: string, milliseconds = 20_000) =>
    (await fetchOutbound(url, { signal: AbortSignal.timeout(milliseconds) })).text(),
  request: async (url: string, milliseconds?: number) => text(await send(url, milliseconds)),
}

describe('an outbound request', { skip: FORWARD_PROXY_MISSING }, () => {
  let other: Awaited<ReturnType<typeof startOtherMachine>>
  before(async () => {
    other = await startOtherMachine(APP_HOST, (request, response) => {
      response.setHeader('host-seen', request.headers.host ?? '')
      void text(request).then((body) => response.end(`received ${body}`))
    })
  })
  after(async () => {
    useProxy(DIRECT)
    await other.close()
  })

  for (const credentials of [undefined, { user: 'mokuroku', password: 'pa-ss' }])
    describe(`with a proxy ${credentials ? 'that has' : 'without'} a password`, () => {
      let proxy: ForwardProxy
      before(async () => {
        proxy = await startForwardProxy(credentials)
      })
      after(() => proxy.stop())

      for (const [way, get] of Object.entries(WAYS)) {
        it(`uses the proxy for https and http (${way})`, async () => {
          throughProxy(proxy.url)
          assert.equal(await get(`${other.https}/${way}`), 'received ')
          assert.equal(await get(`${other.http}/${way}`), 'received ')
          assert.ok(proxy.requests().includes(`CONNECT ${new URL(other.https).host}`))
          assert.ok(proxy.requests().includes(`GET ${other.http}/${way}`))
        })

        it(`contacts the hosts of NO_PROXY and this machine directly (${way})`, async () => {
          const here = createServer((_request, response) => response.end('here'))
          const port = await listenLocally(here)
          const earlier = proxy.requests().length
          throughProxy(proxy.url, ['127.0.0.2'])
          assert.equal(await get(other.https), 'received ')
          assert.equal(await get(`http://127.0.0.1:${port}`), 'here')
          assert.equal(await get(`http://localhost:${port}`), 'here')
          assert.equal(proxy.requests().length, earlier)
          here.closeAllConnections()
          here.close()
        })

        it(`fails with an error that says that the proxy cannot reach the destination (${way})`, async () => {
          throughProxy(proxy.url)
          const { host } = new URL(other.https.replace(/\d+$/, '20'))
          await assert.rejects(
            send(`https://${host}`),
            /^ProxyError: The proxy http:\/\/127\.0\.0\.1:\d+ does not connect to 127\.0\.0\.2:20 \(status 50\d\)$/,
          )
        })
      }

      if (credentials)
        it('fails with an error that says that the proxy rejects the password, without revealing it', async () => {
          throughProxy(proxy.url.replace('pa-ss', 'wrong-secret'))
          for (const get of Object.values(WAYS))
            await assert.rejects(get(other.https), (error) => {
              assert.match(inspect(error), /ProxyError: The proxy .* rejects its user or password/)
              assert.doesNotMatch(inspect(error, { depth: 9 }), /wrong-secret|mokuroku:/)
              return error instanceof ProxyError && !error.isTransient
            })
        })
    })

  describe('through a test proxy', () => {
    let proxy: Server
    let onConnect: (request: IncomingMessage, socket: Socket) => void
    let respond: Parameters<typeof createServer>[1]
    const connected: string[] = []
    let port: number
    const proxyUrl = () => `http://user:secret-word@127.0.0.1:${port}`
    before(async () => {
      proxy = createServer((request, response) => respond?.(request, response))
      proxy.on('connect', (request, socket: Socket) => {
        connected.push(request.url ?? '')
        onConnect(
          request,
          socket.on('error', () => socket.destroy()),
        )
      })
      port = await listenLocally(proxy)
    })
    after(() => {
      proxy.closeAllConnections()
      proxy.close()
    })

    const fails = async (url: string, message: RegExp, milliseconds?: number) => {
      for (const get of Object.values(WAYS))
        await assert.rejects(get(url, milliseconds), (error) => {
          assert.ok(error instanceof ProxyError, inspect(error))
          assert.match(error.message, message)
          assert.doesNotMatch(inspect(error, { depth: 9 }), /secret-word/)
          return true
        })
    }

    it('fails with a specific error if the proxy requires a password', async () => {
      throughProxy(proxyUrl())
      onConnect = (_request, socket) =>
        void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
      respond = (_request, response) => response.writeHead(407).end()
      await fails(other.https, /^The proxy \S+ rejects its user or password \(status 407\)$/)
      await fails(other.http, /^The proxy \S+ rejects its user or password \(status 407\)$/)
    })

    it('fails with a specific error if the proxy closes the connection', async () => {
      throughProxy(proxyUrl())
      onConnect = (_request, socket) => void socket.destroy()
      respond = (_request, response) => response.destroy()
      await fails(other.https, /^The connection through the proxy \S+ was cut/)
      await fails(other.http, /^The connection through the proxy \S+ was cut/)
    })

    it('fails with a specific error if the proxy never responds', async () => {
      throughProxy(proxyUrl())
      onConnect = () => {}
      respond = () => {}
      await fails(other.https, /^No response through the proxy \S+ in time$/, 300)
      await fails(other.http, /^No response through the proxy \S+ in time$/, 300)
    })

    it('fails with a specific error if the proxy is unreachable', async () => {
      throughProxy('http://user:secret-word@127.0.0.1:9')
      await fails(other.https, /^The proxy http:\/\/127\.0\.0\.1:9 refuses connections/)
      await fails(other.http, /^The proxy http:\/\/127\.0\.0\.1:9 refuses connections/)
    })

    const toOther = (_request: IncomingMessage, socket: Socket) => {
      const { port, hostname } = new URL(other.https)
      const upstream = connect(Number(port), hostname, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        socket.pipe(upstream).pipe(socket)
      })
      upstream.on('error', () => socket.destroy())
    }

    it('sends the checked IP address, not the host name, to the proxy if a user chose the host', async () => {
      throughProxy(proxyUrl())
      onConnect = toOther
      connected.length = 0
      const url = new URL(`https://${APP_HOST}/logout`)
      const response = await fetchPublic(
        url,
        { method: 'POST', body: new URLSearchParams({ logout_token: 'x' }) },
        resolveTo(PUBLIC_ADDRESS),
      )
      assert.deepEqual(connected, [`${PUBLIC_ADDRESS}:443`])
      // The certificate is valid for the name, which was checked.
      assert.equal(response.headers.get('host-seen'), APP_HOST)
      assert.equal(await response.text(), 'received logout_token=x')
    })

    it('sends nothing to the proxy if a host that a user chose has a private address', async () => {
      throughProxy(proxyUrl())
      connected.length = 0
      for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', 'fd00::1'])
        await assert.rejects(
          fetchPublic(new URL(`https://${APP_HOST}/`), {}, resolveTo(address)),
          NotPublicError,
        )
      for (const host of ['10.0.0.1', '[::1]', '[fd00::1]', '0x7f.1'])
        await assert.rejects(fetchPublic(new URL(`https://${host}/`), {}), NotPublicError)
      assert.deepEqual(connected, [])
    })

    it('lets the proxy resolve the host name of a source', async () => {
      throughProxy(proxyUrl())
      onConnect = toOther
      connected.length = 0
      const response = await requestOutbound(new URL(`https://${APP_HOST}/`), {
        chosenBy: 'source',
        signal: AbortSignal.timeout(20_000),
        resolve: resolveTo('127.0.0.1'),
      })
      response.resume()
      assert.deepEqual(connected, [`${APP_HOST}:443`])
    })
  })

  it('never contacts a private address without a proxy', async () => {
    useProxy(DIRECT)
    const url = new URL(other.https)
    await assert.rejects(fetchPublic(url, {}), NotPublicError)
    url.hostname = APP_HOST
    await assert.rejects(fetchPublic(url, {}, resolveTo('127.0.0.2')), NotPublicError)
  })
})

describe('proxyFor', () => {
  const isDirect = (url: string, ...noProxy: string[]) => {
    throughProxy('http://proxy:3128', noProxy)
    return proxyFor(new URL(url)) === undefined
  }
  after(() => useProxy(DIRECT))

  it('matches hosts, subdomains and ports', () => {
    assert.ok(!isDirect('https://example.org'))
    assert.ok(isDirect('https://example.org', '*'))
    assert.ok(isDirect('https://example.org', 'example.org'))
    assert.ok(isDirect('https://a.example.org', 'example.org'))
    assert.ok(!isDirect('https://badexample.org', 'example.org'))
    assert.ok(isDirect('https://a.example.org', '.example.org'))
    assert.ok(!isDirect('https://example.org', '.example.org'))
    assert.ok(isDirect('https://example.org', 'example.org:443'))
    assert.ok(!isDirect('http://example.org', 'example.org:443'))
    assert.ok(isDirect('http://[2001:db8::1]:81', '[2001:db8::1]:81'))
  })

  it('uses each proxy for its own scheme, and none for this machine', () => {
    useProxy({ httpsProxy: 'http://proxy:1', httpProxy: undefined, noProxy: [] })
    assert.equal(proxyFor(new URL('https://example.org')), 'http://proxy:1')
    assert.equal(proxyFor(new URL('http://example.org')), undefined)
    for (const host of ['localhost', '127.0.0.1', '[::1]'])
      assert.equal(proxyFor(new URL(`https://${host}`)), undefined)
  })
})
