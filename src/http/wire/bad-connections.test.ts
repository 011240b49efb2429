import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { eventually } from '#test/browser.ts'
import { listenLocally } from '#test/free-port.ts'
import { startService, type TestService } from '#test/service.ts'

describe('a peer that sends requests but reads no responses', () => {
  it('is disconnected, while a peer waiting for a slow response is not', async () => {
    const service = await startService()
    const { server } = service.server.app
    const resumeGate = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const token = await service.token()
    const holding = service.db.transaction().execute(async (trx) => {
      await sql`lock table galgames in access exclusive mode`.execute(trx)
      locked.resolve()
      await resumeGate.promise
    })
    try {
      await locked.promise
      assert.equal(server.timeout, 30_000)
      // Applies to connections opened from now on.
      server.timeout = 300
      const slow = service.get('/v3/galgames/1', token)
      await once(server, 'request')
      const arriving = once(server, 'connection')
      const deaf = connect(service.config.port, '127.0.0.1').pause()
      deaf.on('error', () => {})
      // More than the buffers at both ends can hold.
      deaf.write('GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(100))
      // as: this is the argument of the event
      const [socket] = (await arriving) as [Socket]
      await once(socket, 'close')
      deaf.destroy()
      resumeGate.resolve()
      assert.equal((await slow).status, 200)
    } finally {
      resumeGate.resolve()
      await holding
      await service.close()
    }
  })
})

describe('a peer that pipelines many requests', () => {
  it('gets responses to the first few before the connection closes', async () => {
    const service = await startService()
    try {
      const socket = connect(service.config.port, '127.0.0.1')
      socket.write('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(100))
      let text = ''
      for await (const chunk of socket) text += String(chunk)
      const responses = text.split('HTTP/1.1 200 OK').slice(1)
      assert.equal(responses.length, 8)
      assert.deepEqual(
        responses.map((response) => /^connection: close/im.test(response)),
        responses.map((_, index) => index === 7),
      )
    } finally {
      await service.close()
    }
  })
})

describe('responses of the HTTP server itself', () => {
  let service: TestService
  before(async () => {
    service = await startService({
      content: 'empty',
      environment: { MAX_CONNECTIONS: '20', AUTH_URL: 'https://id.example.org' },
    })
  })
  after(() => service.close())

  const port = () => service.config.port
  /** Sends text and reads until the server closes the connection. */
  async function exchange(request: string, to = port()): Promise<string> {
    const socket = connect(to, '127.0.0.1')
    let response = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => (response += chunk))
    socket.write(request)
    socket.setTimeout(10_000, () => socket.destroy(new Error('it does not hang up')))
    await once(socket, 'close')
    return response
  }
  const bodyOf = (response: string) => response.slice(response.indexOf('\r\n\r\n') + 4)
  // as: the body is an error envelope
  const codeOf = (response: string) =>
    (JSON.parse(bodyOf(response)) as { error: { code: string } }).error.code

  for (const [name, status, request] of [
    ['no Host', 400, 'GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n'],
    [
      'two Hosts',
      400,
      'GET /health/live HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close\r\n\r\n',
    ],
    [
      'two Hosts for the provider',
      400,
      'GET /oidc/jwks HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n',
    ],
    [
      'two Authorizations',
      400,
      'GET /v3/galgames/1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nauthorization: Bearer b\r\nConnection: close\r\n\r\n',
    ],
    ['an expectation', 417, 'GET /health/live HTTP/1.1\r\nHost: a\r\nExpect: 200-maybe\r\n\r\n'],
    ['no HTTP', 400, 'hello\r\n\r\n'],
    ['an address too long', 431, `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
  ] as const)
    it(`use the error envelope for ${name}`, async () => {
      const response = await exchange(request)
      assert.match(response, new RegExp(`^HTTP/1\\.1 ${status} `))
      assert.equal(codeOf(response), 'COMMON_BAD_REQUEST')
      assert.match(response, /^x-request-id: \S+/im)
    })

  it('have no body for HEAD, even when the URL is too long', async () => {
    const response = await exchange(`HEAD /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`)
    assert.match(response, /^HTTP\/1\.1 431 /)
    assert.equal(bodyOf(response), '')
  })

  it('have status 408 for a body that arrives too slowly, even on provider routes', async () => {
    const { server } = service.server.app
    const { requestTimeout, headersTimeout } = server
    Object.assign(server, { requestTimeout: 500, headersTimeout: 400 })
    try {
      for (const path of ['/oidc/token', '/oidc/token/introspection'])
        assert.match(
          await exchange(
            `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\na`,
          ),
          /^HTTP\/1\.1 408 /,
          path,
        )
    } finally {
      Object.assign(server, { requestTimeout, headersTimeout })
    }
  })

  it('have status 503 above the connection limit, and close the connection even if the peer never does', async () => {
    const sockets: Socket[] = []
    const connectionsOf = () =>
      new Promise<number>((resolve) =>
        service.server.app.server.getConnections((_, count) => resolve(count)),
      )
    try {
      for (let index = 0; index < 20; index += 1) {
        const socket = connect({ port: port(), host: '127.0.0.1', allowHalfOpen: true })
        socket.on('error', () => {})
        sockets.push(socket)
        await once(socket, 'connect')
      }
      while ((await connectionsOf()) < 20) await sleep(10)
      const tooMuch = await exchange('')
      assert.match(tooMuch, /^HTTP\/1\.1 503 .*\r\n(.*\r\n)*Retry-After: 5\r\n/i)
      assert.equal(codeOf(tooMuch), 'COMMON_SERVICE_UNAVAILABLE')
      // These refused peers neither read nor close their side.
      for (const socket of sockets) socket.pause().write('hello\r\n\r\n')
      // The server must therefore close them.
      for (const deadline = Date.now() + 5_000; (await connectionsOf()) > 0; await sleep(50))
        assert.ok(Date.now() < deadline, `${await connectionsOf()} connections are still held`)
      // The server updates its own count slightly later.
      await eventually(
        async () => (await fetch(`http://127.0.0.1:${port()}/health/live`)).status === 200,
        'that it answers again',
      )
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  })

  it('are not sent far above the limit, even on connections that a worker receives', async () => {
    const { server } = service.server.app
    const receiver = createServer({ allowHalfOpen: true }, (socket) =>
      server.emit('connection', socket),
    )
    const receiverPort = await listenLocally(receiver)
    const open = () => connect(receiverPort, '127.0.0.1').on('error', () => {})
    const idle = Array.from({ length: 20 }, open)
    try {
      await eventually(
        async () => (await exchange('', receiverPort)).startsWith('HTTP/1.1 503'),
        'the limit is reached',
      )
      const responses = await Promise.all(
        Array.from({ length: 20 }, () => exchange('', receiverPort).catch(() => '')),
      )
      assert.ok(responses.includes(''), `${responses.length} responses`)
    } finally {
      for (const socket of idle) socket.destroy()
      await new Promise((resolve) => receiver.close(resolve))
    }
  })

  it('include HSTS only if the public URL uses HTTPS', async () => {
    for (const path of ['/health/live', '/oidc/jwks', '/sign-in', '/nowhere'])
      assert.equal(
        (await fetch(`http://127.0.0.1:${port()}${path}`)).headers.get('strict-transport-security'),
        'max-age=31536000',
        path,
      )
  })
})
