import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitForQuietTurn } from './close-listener.ts'

/** Time, in milliseconds, for which a connection without a request stays open after the listeners are closed. */
const IDLE_MS = 500
/** Interval, in milliseconds, at which idle connections are closed. */
const SWEEP_MS = 50
/** Time, in milliseconds, that a peer has to close its side after it has read its response. */
const LINGER_MS = 1_000

/** The response that a connection is waiting for. Node keeps it in this property. */
type Serving = Socket & { _httpMessage?: ServerResponse | null }

export type Drain = ReturnType<typeof openDrain>

/**
 * Ends the connections of an HTTP server without refusing or cutting off a request that has arrived. First each
 * response carries `Connection: close`, so that clients move to another process. Then the listeners are closed, and
 * connections that have sent nothing for a moment.
 */
export function openDrain() {
  let isDraining = false
  let servers: Server[] = []
  let listeners: (() => void)[] = []
  const sockets = new Set<Serving>()
  /** Bytes that a connection had sent at the end of its last request. More bytes belong to the next request. */
  const received = new WeakMap<Socket, number>()

  function forget(this: Socket) {
    sockets.delete(this)
  }

  /** Makes the response the last one of its connection. */
  function makeLast(socket: Serving, response: ServerResponse) {
    if (!response.headersSent) response.shouldKeepAlive = false
    // Node would destroy the socket, and unread bytes would then reset it before the peer has read the response.
    socket.destroySoon = () => linger(socket)
    response.once('close', () => received.set(socket, socket.bytesRead))
  }

  const isIdle = (socket: Serving) =>
    !socket._httpMessage &&
    socket.writableLength === 0 &&
    socket.bytesRead === (received.get(socket) ?? 0)

  return {
    isDraining: () => isDraining,
    watch(server: Server) {
      servers = [...servers, server]
      server.on('connection', (socket) => {
        sockets.add(socket)
        socket.on('close', forget)
      })
    },
    /** Calls a listener when the drain begins. */
    onBegin(listener: () => void) {
      listeners = [...listeners, listener]
    },
    /** From now on, the service is not ready, and the response to each request closes its connection. */
    begin() {
      if (isDraining) return
      isDraining = true
      for (const socket of sockets) {
        received.set(socket, socket.bytesRead)
        if (socket._httpMessage) makeLast(socket, socket._httpMessage)
      }
      for (const server of servers)
        server.prependListener('request', (request: IncomingMessage, response: ServerResponse) =>
          makeLast(request.socket, response),
        )
      for (const listener of listeners) listener()
    },
    /** Closes the listeners, and waits until no connection is left. */
    async finish(closeListeners: () => Promise<void>) {
      await closeListeners()
      for (const end = performance.now() + IDLE_MS; sockets.size > 0; await sleep(SWEEP_MS)) {
        if (performance.now() < end) continue
        await waitForQuietTurn()
        for (const socket of sockets) if (isIdle(socket)) socket.destroy()
      }
    },
  }
}

/** Closes this side of a connection, and reads what the peer still sends until it closes its side. */
function linger(socket: Socket) {
  socket.end()
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
}
