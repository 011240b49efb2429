import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { failureEnvelope } from './errors/envelope.ts'
import type { ApiError } from './errors/errors.ts'
import { headersTooLarge, notHttp, requestTimeout } from './errors/refusals.ts'

const REFUSALS: Record<string, () => ApiError> = {
  HPE_HEADER_OVERFLOW: headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: requestTimeout,
}

/**
 * Time, in milliseconds, that a peer has to read its refusal. Without this limit, a peer that never closes its side
 * would hold the descriptor forever.
 */
const CLOSE_TIMEOUT_MS = 1_000

/** Responds to a malformed or incomplete request and closes the connection. */
export function respondToBadConnection(
  error: NodeJS.ErrnoException & { rawPacket?: unknown },
  socket: Socket,
  requestId: string,
) {
  if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy()
  const isHead =
    Buffer.isBuffer(error.rawPacket) &&
    error.rawPacket.subarray(0, 5).toString('latin1') === 'HEAD '
  refuseConnection(socket, (REFUSALS[error.code ?? ''] ?? notHttp)(), requestId, isHead)
}

/** Writes a refusal to a connection from which no more requests are read, and closes it. */
export function refuseConnection(
  socket: Socket,
  refusal: ApiError,
  requestId: string,
  isHead = false,
) {
  const body = JSON.stringify(failureEnvelope(refusal, requestId))
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    ...refusal.headers,
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n${isHead ? '' : body}`,
  )
  setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS).unref()
}
