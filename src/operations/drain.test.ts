import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { connect, Server as NetServer, type AddressInfo, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { eventually } from '#test/browser.ts'
import { openDrain } from './drain.ts'

const GET = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'

type Peer = { socket: Socket; received: () => string; closed: Promise<unknown> }

/** Starts a server with a drain. */
async function start(listener: RequestListener) {
  const server = createServer(listener)
  const drain = openDrain()
  drain.watch(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    server,
    drain,
    finish: () => drain.finish(async () => void NetServer.prototype.close.call(server)),
  }
}

/** Opens a connection and collects what it receives. Errors reject `closed`. */
async function open(server: Server, allowHalfOpen = false): Promise<Peer> {
  // as: the address of a TCP socket
  const { port } = server.address() as AddressInfo
  const accepted = once(server, 'connection')
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen })
  let received = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk))
  const closed = once(socket, 'close')
  closed.catch(() => {})
  await accepted
  return { socket, received: () => received, closed }
}

async function receive({ socket, received }: Peer, text: string) {
  while (!received().includes(text)) await once(socket, 'data')
}

/** Waits until the server accepts no more connections. */
const untilClosed = (server: Server) => eventually(async () => !server.listening, 'a closed port')

describe('a server that drains', () => {
  it('serves requests while it still listens, and closes the connection after each response', async () => {
    const { server, drain, finish } = await start((_request, response) => response.end('served'))
    const kept = await open(server)
    kept.socket.write(GET)
    await receive(kept, 'served')
    assert.match(kept.received(), /^connection: keep-alive/im)
    assert.equal(drain.isDraining(), false)
    drain.begin()
    assert.equal(drain.isDraining(), true)
    const late = await open(server)
    for (const { socket } of [kept, late]) socket.write(GET)
    await Promise.all([kept.closed, late.closed])
    for (const { received } of [kept, late]) {
      assert.match(received(), /^connection: close/im)
      assert.match(received(), /served$/)
    }
    await finish()
  })

  it('answers a request that arrives on an idle connection while the listener closes', async () => {
    const { server, drain, finish } = await start((_request, response) => response.end('served'))
    const peer = await open(server)
    peer.socket.write(GET)
    await receive(peer, 'served')
    drain.begin()
    const finished = finish()
    await untilClosed(server)
    peer.socket.write(GET)
    await peer.closed
    assert.equal(peer.received().split('served').length, 3)
    await finished
  })

  it('closes idle connections, also those that never sent a request', async () => {
    const { server, drain, finish } = await start((_request, response) => response.end('served'))
    const [used, unused] = [await open(server), await open(server)]
    used.socket.write(GET)
    await receive(used, 'served')
    drain.begin()
    await finish()
    await Promise.all([used.closed, unused.closed])
  })

  it('finishes a response that began before', async () => {
    const gate = Promise.withResolvers<void>()
    const { server, drain, finish } = await start((_request, response) => {
      response.write('first,')
      void gate.promise.then(() => response.end('last'))
    })
    const [peer, idle] = [await open(server), await open(server)]
    peer.socket.write(GET)
    await receive(peer, 'first,')
    drain.begin()
    const finished = finish()
    await idle.closed
    gate.resolve()
    await finished
    await peer.closed
    assert.match(peer.received(), /last/)
  })

  it('reads the rest of a body that a response did not wait for', async () => {
    const { server, drain, finish } = await start((_request, response) => response.end('refused'))
    const sockets: Socket[] = []
    server.on('connection', (socket) => sockets.push(socket))
    drain.begin()
    const part = 'x'.repeat(1_000)
    const head = 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 2000\r\n\r\n'
    /** Returns whether the server read everything. A reset ends the attempt. */
    async function isRead() {
      const peer = await open(server, true)
      const ended = once(peer.socket, 'end')
      peer.socket.write(head + part)
      await receive(peer, 'refused')
      await ended
      peer.socket.write(part)
      const socket = sockets.at(-1)
      await eventually(async () => socket?.destroyed || socket?.bytesRead === head.length + 2_000)
      const isOpen = socket?.destroyed === false
      peer.socket.end()
      return peer.closed.then(
        () => isOpen,
        () => false,
      )
    }
    // A process that is suspended for a second meets the time limit of the server.
    assert.ok((await isRead()) || (await isRead()) || (await isRead()))
    await finish()
  })
})
