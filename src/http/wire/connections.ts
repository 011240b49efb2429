import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Server as NetServer, Socket } from 'node:net'
import { refuseConnection } from './bad-connections.ts'
import { failureEnvelope } from './envelope.ts'
import { unavailable, unknownExpectation } from './refusals.ts'

/** Above the limit, of those that are told so; more are dropped without a word. */
const MAX_REFUSED_AT_ONCE = 1_000

/** Has a worker of several drop connections beyond `maxConnections` too, instead of handing them to the others for ever. */
export function dropBeyondMax(server: NetServer) {
  // The types do not know it.
  Object.assign(server, { dropMaxConnection: true })
}

/**
 * Answers 503 to connections beyond `max`, so that nobody can take every descriptor of the process, and 417 to an
 * `Expect` other than 100-continue: both are answers of the server itself, which knows no routes.
 */
export function limitConnections(server: Server, max: number, nextRequestId: () => string) {
  const listeners = server.listeners('connection')
  let open = 0
  server.removeAllListeners('connection')
  server.maxConnections = max + MAX_REFUSED_AT_ONCE
  dropBeyondMax(server)
  server.on('connection', (socket: Socket) => {
    open += 1
    socket.once('close', () => (open -= 1))
    if (open > max) {
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
