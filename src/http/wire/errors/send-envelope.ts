import type { FastifyReply, FastifyRequest } from 'fastify'
import { ENVELOPE_PREFIX, envelopeEnd } from './envelope.ts'
import { API_HEADERS } from './headers.ts'
import { pushThrottleHeaders, throttleHeaders } from './rate-limit.ts'

/**
 * Sends `data` in the success envelope (§2.1). The hot path uses catalog/cache/send-cached.ts instead.
 *
 * @param details further fields of the envelope, next to `data`
 */
export function sendEnvelope(
  request: FastifyRequest,
  reply: FastifyReply,
  data: unknown,
  details?: Record<string, unknown>,
) {
  const detailsMember = details === undefined ? '' : `,"details":${JSON.stringify(details)}`
  return reply
    .headers({ ...responseHeaders(request), 'cache-control': 'no-store' })
    .type('application/json; charset=utf-8')
    .send(
      withPictures(request, ENVELOPE_PREFIX + JSON.stringify(data)) +
        detailsMember +
        envelopeEnd(request.id),
    )
}

/**
 * Sends `data` given as JSON in the success envelope, bypassing Fastify's reply: headers set on the reply are not sent.
 */
export const sendEnvelopeJson = (request: FastifyRequest, reply: FastifyReply, data: string) =>
  sendText(request, reply, ENVELOPE_PREFIX + data + envelopeEnd(request.id))

/** Sends a resource given as JSON, without the envelope. §2.1 has only one such response. */
export const sendBareText = (request: FastifyRequest, reply: FastifyReply, resource: string) =>
  sendText(request, reply, resource)

/** Flattened once into the form that `writeHead` takes without copying. */
const CONSTANT_HEADERS = Object.entries({
  ...API_HEADERS,
  'cache-control': 'no-store',
  'content-type': 'application/json; charset=utf-8',
}).flat()

/**
 * Sends the most frequent responses (docs/performance.md), bypassing Fastify's header store, serializer and onSend
 * hooks.
 */
function sendText(request: FastifyRequest, reply: FastifyReply, body: string) {
  const text = withPictures(request, body)
  const headers = CONSTANT_HEADERS.concat(
    'content-length',
    String(Buffer.byteLength(text)),
    'x-request-id',
    request.id,
  )
  if (request.throttleWindow) pushThrottleHeaders(headers, request.throttleWindow)
  reply.hijack()
  reply.raw.writeHead(200, headers)
  reply.raw.end(text)
  return reply
}

/** Replaces the sources' picture URLs in a response with signed ones, for callers with a token. */
export const withPictures = ({ server, caller }: FastifyRequest, text: string) =>
  (caller && server.pictureUrls?.rewriteJson(text)) ?? text

/** Sends 204 with the API headers. */
export const sendNothing = (request: FastifyRequest, reply: FastifyReply) =>
  reply.status(204).headers(responseHeaders(request)).send()

/** Headers of every API response. */
export const responseHeaders = (request: FastifyRequest) => ({
  ...API_HEADERS,
  'x-request-id': request.id,
  ...(request.throttleWindow && throttleHeaders(request.throttleWindow)),
})
