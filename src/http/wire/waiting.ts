import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const WAITED_MS = Symbol('milliseconds waited')

type Waiting = IncomingMessage & { [WAITED_MS]?: number }

/** Records the time, in milliseconds, that a request spent waiting at the client's wish. */
export function recordWait(request: IncomingMessage, milliseconds: number) {
  // as: the property is ours
  ;(request as Waiting)[WAITED_MS] = milliseconds
}

/** Returns the time, in milliseconds, that the duration of a request must not include. */
export const waitedMs = (request: IncomingMessage): number =>
  // as: the property is ours
  (request as Waiting)[WAITED_MS] ?? 0

/** A socket of Node's HTTP server. The property is not documented. */
type ParsedSocket = Socket & { parser?: { incoming: IncomingMessage | null } | null }

/** Undocumented function that Node calls when a connection closes or changes its protocol. It may be missing. */
type HttpInternals = {
  freeParser?: (parser: object, request: IncomingMessage | null, socket: Socket) => void
}
// as: the module has no types
const { freeParser } = (process.getBuiltinModule('_http_common') ?? {}) as HttpInternals

/**
 * Frees the HTTP parser of a connection whose request waits. The parser takes 10 kB, more than half of the memory of a
 * waiting client. The connection accepts no further request and closes after the response. Nothing is freed if the
 * client has already sent another request.
 */
export function releaseParser(response: ServerResponse) {
  const request = response.req
  // as: see ParsedSocket
  const socket: ParsedSocket = request.socket
  const { parser } = socket
  const isOnlyRequest = response.socket === socket && parser?.incoming === request
  if (!freeParser || !parser || !request.complete || !isOnlyRequest) return
  response.shouldKeepAlive = false
  socket.removeAllListeners('data')
  socket.removeAllListeners('end')
  // Node hands the socket's bytes to the parser until there is a listener for them.
  socket.on('data', ignore)
  socket.on('end', endOwnSide)
  freeParser(parser, request, socket)
}

function ignore() {}

function endOwnSide(this: Socket) {
  this.end()
}
