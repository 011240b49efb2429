import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { refuseConnection } from './bad-connections.ts'
import { failureEnvelope } from './errors/envelope.ts'
import { unavailable, unknownExpectation } from './errors/refusals.ts'

/** Time, in milliseconds, after which a peer that reads nothing is disconnected. Setting `server.timeout` overrides it. */
const MAX_STALLED_WRITE_MS = 30_000

/**
 * Closes connections whose peer does not read. A client that sends requests without reading the responses would occupy
 * a connection and memory forever. Connections that wait for a slow response stay open.
 */
export function closeStalledConnections(server: Server) {
  server.timeout = MAX_STALLED_WRITE_MS
  // Node restarts the timer whenever it sends part of a response. Because of this listener, Node does not close the
  // connection itself.
  const closeIfUnread = (socket: Socket) => {
    if (socket.writableLength > 0) socket.destroy()
  }
  server.on('request', (_request, response) => response.on('timeout', closeIfUnread))
}

/** Maximum number of requests processed at once per connection. */
const MAX_PIPELINED = 8

/**
 * Closes connections that pipeline more than a few requests, after the response to the last one admitted. Node
 * dispatches all requests in a packet before it turns to the next connection. About a hundred clients that send full
 * packets would block the event loop until the watchdog kills the process.
 */
export function limitPipelining(server: Server) {
  const pendingRequests = new WeakMap<Socket, number>()
  const closing = new WeakSet<Socket>()
  // One listener for all responses: thousands may be open, and a closure for each would take memory.
  function finish(this: ServerResponse) {
    const { socket } = this.req
    pendingRequests.set(socket, (pendingRequests.get(socket) ?? 0) - 1)
  }
  const listeners = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    if (closing.has(socket)) return
    const count = (pendingRequests.get(socket) ?? 0) + 1
    pendingRequests.set(socket, count)
    response.on('close', finish)
    if (count === MAX_PIPELINED) {
      closing.add(socket)
      response.shouldKeepAlive = false
    }
    for (const listener of listeners) listener.call(server, request, response)
  })
}

/** Property of a request: when it arrived, as returned by `performance.now()`. */
export const ARRIVED = Symbol('arrived')

/** Server event for each request refused because the process is overloaded. */
export const REFUSED_REQUEST = Symbol('refused request')

/** Server event for each connection that is refused because there are too many. */
export const REFUSED_CONNECTION = Symbol('refused connection')

/** Share of the limit that may be open above it and gets a 503 response. The rest are dropped without a response. */
export const REFUSED_SHARE = 0.1

/**
 * Responds with 503 to connections beyond `max`, so that clients cannot exhaust the descriptors of the process.
 * Responds with 417 to an `Expect` header other than 100-continue. Both happen before routing.
 */
export function limitConnections(server: Server, max: number, nextRequestId: () => string) {
  const listeners = server.listeners('connection')
  let open = 0
  const leave = () => void (open -= 1)
  server.removeAllListeners('connection')
  server.maxConnections = max + Math.ceil(max * REFUSED_SHARE)
  server.on('connection', (socket: Socket) => {
    // Node stores the address when it is first read. After the client has left, it could not be read anymore.
    void socket.remoteAddress
    // Node enforces `maxConnections` only for connections that it accepts itself. Workers get theirs from the primary
    // process.
    if (open >= server.maxConnections) return socket.destroy()
    open += 1
    socket.on('close', leave)
    if (open > max) {
      server.emit(REFUSED_CONNECTION)
      socket.on('error', () => socket.destroy())
      return refuseConnection(socket, unavailable(), nextRequestId())
    }
    for (const listener of listeners) listener.call(server, socket)
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const refusal = unknownExpectation()
    const id = nextRequestId()
    const body = JSON.stringify(failureEnvelope(refusal, id))
    response.writeHead(refusal.status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'x-request-id': id,
      connection: 'close',
    })
    response.end(request.method === 'HEAD' ? undefined : body)
  })
}
