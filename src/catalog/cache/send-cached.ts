import type { FastifyReply, FastifyRequest } from 'fastify'
import { envelopeEnd } from '../../http/wire/errors/envelope.ts'
import { encodingFor } from '../../http/wire/content-encoding.ts'
import { openCompressed, type OpenBody } from '../../http/wire/open-compression.ts'
import { compressedEtag, matchesEtag } from '../../http/wire/etag.ts'
import { API_HEADERS } from '../../http/wire/errors/headers.ts'
import { pushThrottleHeaders } from '../../http/wire/errors/rate-limit.ts'
import {
  BODY_ENCODING,
  type CachedResponse,
  type QueriedResponse,
  rewritePictureUrls,
  toCachedResponse,
} from './cached-response.ts'

/** Headers common to all responses, as the flat array that `writeHead` accepts without copying. */
const CONSTANT_HEADERS = [
  ...Object.entries(API_HEADERS).flat(),
  ...Object.entries({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'private, max-age=60',
    vary: 'Authorization, Accept-Encoding',
  }).flat(),
]

/** Minimum size for compression, in bytes. Smaller responses fit into two packets uncompressed. */
const MIN_COMPRESSED_BYTES = 2_048

/**
 * Sends a cached response with the end of the envelope appended, or 304 if the client's copy is current.
 *
 * It bypasses Fastify's reply, whose hooks, serializer and header store take a tenth of the time. This is the most
 * performance-critical path of the service (docs/performance.md).
 *
 * @param link `Link` header of a page of a list
 */
export function sendCached(
  request: FastifyRequest,
  reply: FastifyReply,
  response: CachedResponse,
  link?: string,
) {
  if (request.caller) rewritePictureUrls(response, request.server.pictureUrls)
  const encoding =
    response.body.length < MIN_COMPRESSED_BYTES
      ? undefined
      : encodingFor(request.headers['accept-encoding'])
  const etag = encoding ? compressedEtag(response.etag, encoding) : response.etag
  const headers = CONSTANT_HEADERS.concat('etag', etag, 'x-request-id', request.id)
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
  if (encoding) {
    headers.push('content-encoding', encoding)
    const { body, owner: held } = response
    const opening = held
      ? held.cache.openCompressed(response, etag, encoding)
      : openCompressed(Buffer.from(body, BODY_ENCODING), encoding)
    void sendCompressed(reply, headers, opening, envelopeEnd(request.id))
    return
  }
  const whole = response.body + envelopeEnd(request.id)
  headers.push('content-length', String(whole.length))
  reply.raw.writeHead(200, headers)
  reply.raw.end(whole, BODY_ENCODING)
}

/** Sends a response that is not cached, with the headers of one that is. Returns the reply, for an async handler. */
export function sendUncached(
  request: FastifyRequest,
  reply: FastifyReply,
  found: QueriedResponse,
): FastifyReply {
  sendCached(request, reply, toCachedResponse(found))
  return reply
}

/** Sends a compressed body. The end of the envelope differs per request, so it is not compressed. */
async function sendCompressed(
  { raw }: FastifyReply,
  headers: string[],
  opening: OpenBody | Promise<OpenBody>,
  end: string,
) {
  try {
    const whole = (await opening).close(Buffer.from(end))
    headers.push('content-length', String(whole.length))
    raw.writeHead(200, headers)
    raw.end(whole)
  } catch {
    // Compression fails only if memory runs out. Close the connection so that the client retries.
    raw.destroy()
  }
}
