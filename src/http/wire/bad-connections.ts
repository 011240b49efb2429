import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { failureEnvelope } from './envelope.ts'
import type { ApiError } from './errors.ts'
import { headersTooLarge, notHttp, requestTimeout } from './refusals.ts'

const REFUSALS: Record<string, () => ApiError> = {
  HPE_HEADER_OVERFLOW: headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: requestTimeout,
}

/** Answers what is not HTTP, or comes too slowly to be a request, and closes the connection. */
export function answerBadConnection(error: NodeJS.ErrnoException, socket: Socket, requestId: string) {
  if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy()
  const refusal = (REFUSALS[error.code ?? ''] ?? notHttp)()
  const body = JSON.stringify(failureEnvelope(refusal, requestId))
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
  )
}
