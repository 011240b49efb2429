import type { FastifyReply, FastifyRequest } from 'fastify'
import { ENVELOPE_START, envelopeEnd } from './envelope.ts'
import { API_HEADERS } from './headers.ts'
import { pushThrottleHeaders, throttleHeaders } from './rate-limit.ts'

/**
 * Sends `data` in the envelope of §2.1. The hot path does not use this function; see catalog/cache/send-cached.ts.
 *
 * @param details further fields of the envelope, beside `data`
 */
export function sendEnvelope(
  request: FastifyRequest,
  reply: FastifyReply,
  data: unknown,
  details?: Record<string, unknown>,
) {
  const detailsMember = details === undefined ? '' : `,"details":${JSON.stringify(details)}`
  return reply
    .headers({ ...answerHeaders(request), 'cache-control': 'no-store' })
    .type('application/json; charset=utf-8')
    .send(
      withPictures(request, ENVELOPE_START + JSON.stringify(data)) +
        detailsMember +
        envelopeEnd(request.id),
    )
}

/** The same with `data` as JSON, around Fastify's reply: headers that were set on it are not sent. */
export const sendEnvelopeText = (request: FastifyRequest, reply: FastifyReply, data: string) =>
  sendText(request, reply, ENVELOPE_START + data + envelopeEnd(request.id))

/** Sends a resource, as JSON, without an envelope around it: the one answer of §2.1 that has none. */
export const sendBareText = (request: FastifyRequest, reply: FastifyReply, resource: string) =>
  sendText(request, reply, resource)

/** Written once, in the form `writeHead` takes without copying. */
const CONSTANT_HEADERS = Object.entries({
  ...API_HEADERS,
  'cache-control': 'no-store',
  'content-type': 'application/json; charset=utf-8',
}).flat()

/** For what readers do most (docs/performance.md): past Fastify's header store, serialiser and hooks on sending. */
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
  (caller && server.pictureAddresses?.inAnswer(text)) ?? text

/** 204 with the headers of the API. */
export const sendNothing = (request: FastifyRequest, reply: FastifyReply) =>
  reply.status(204).headers(answerHeaders(request)).send()

/** What every answer of an API carries. */
export const answerHeaders = (request: FastifyRequest) => ({
  ...API_HEADERS,
  'x-request-id': request.id,
  ...(request.throttleWindow && throttleHeaders(request.throttleWindow)),
})
