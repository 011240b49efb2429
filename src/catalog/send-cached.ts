import type { FastifyReply, FastifyRequest } from 'fastify'
import { envelopeEnd } from '../http/wire/envelope.ts'
import { matchesEtag } from '../http/wire/etag.ts'
import { API_HEADERS } from '../http/wire/headers.ts'
import { pushThrottleHeaders } from '../http/wire/rate-limit.ts'
import { BODY_ENCODING, type CachedResponse } from './cached-response.ts'

/** The same on every answer; written once, in the form `writeHead` takes without copying. */
const CONSTANT_HEADERS = [
  ...Object.entries(API_HEADERS).flat(),
  ...Object.entries({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'private, max-age=60',
    vary: 'Authorization',
  }).flat(),
]

/**
 * Sends a cached answer: 304 when the client has it already, else its bytes with the end of the envelope behind.
 *
 * It goes around Fastify's reply (its hooks, serialiser and header store cost a tenth of the whole): the first of the
 * four interfaces that must be fast is this one (docs/performance.md).
 *
 * @param link of a page of a list
 */
export function sendCached(
  request: FastifyRequest,
  reply: FastifyReply,
  response: CachedResponse,
  link?: string,
) {
  const headers = CONSTANT_HEADERS.concat('etag', response.etag, 'x-request-id', request.id)
  if (request.throttleWindow) pushThrottleHeaders(headers, request.throttleWindow)
  if (response.total !== undefined) headers.push('x-total-count', String(response.total))
  if (link) headers.push('link', link)

  reply.hijack()
  const ifNoneMatch = request.headers['if-none-match']
  if (ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, response.etag)) {
    reply.raw.writeHead(304, headers)
    reply.raw.end()
    return
  }
  const whole = response.body + envelopeEnd(request.id)
  headers.push('content-length', String(whole.length))
  reply.raw.writeHead(200, headers)
  reply.raw.end(whole, BODY_ENCODING)
}
