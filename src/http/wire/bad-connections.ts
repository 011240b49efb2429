import type { Socket } from 'node:net'
import { failureEnvelope } from './envelope.ts'
import { ApiError } from './errors.ts'

const STATUS_LINES: Record<string, [status: string, message: string]> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The address and headers are larger than 16 KiB together.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
}

/** Answers what is not HTTP, or comes too slowly to be a request, and closes the connection. */
export function answerBadConnection(error: NodeJS.ErrnoException, socket: Socket, requestId: string) {
  if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy()
  const [status, message] = STATUS_LINES[error.code ?? ''] ?? [
    '400 Bad Request',
    'The request is not valid HTTP.',
  ]
  const body = JSON.stringify(failureEnvelope(new ApiError('COMMON_BAD_REQUEST', message), requestId))
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
  )
}
