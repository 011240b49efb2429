import type { FastifyReply, FastifyRequest } from 'fastify'
import { ENVELOPE_START, envelopeEnd } from './envelope.ts'
import { API_HEADERS } from './headers.ts'
import { throttleHeaders } from './rate-limit.ts'

/**
 * Sends `data` in the envelope of §2.1; not for the hot path, which has its own (catalog/send-cached.ts).
 *
 * @param details what the caller should know beside `data`
 */
export function sendEnvelope(
  request: FastifyRequest,
  reply: FastifyReply,
  data: unknown,
  details?: Record<string, unknown>,
) {
  const detailsMember = details === undefined ? '' : `,"details":${JSON.stringify(details)}`
  return sendEnvelopeText(request, reply, JSON.stringify(data) + detailsMember)
}

/** The same with `data` as JSON. */
export const sendEnvelopeText = (request: FastifyRequest, reply: FastifyReply, data: string) =>
  reply
    .headers({ ...answerHeaders(request), 'cache-control': 'no-store' })
    .type('application/json; charset=utf-8')
    .send(ENVELOPE_START + data + envelopeEnd(request.id))

/** Sends a resource without an envelope around it: the one answer of §2.1 that has none. */
export const sendBare = (request: FastifyRequest, reply: FastifyReply, resource: unknown) =>
  reply
    .headers({ ...answerHeaders(request), 'cache-control': 'no-store' })
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(resource))

/** 204 with the headers of the API. */
export const sendNothing = (request: FastifyRequest, reply: FastifyReply) =>
  reply.status(204).headers(answerHeaders(request)).send()

/** What every answer of an API carries. */
export const answerHeaders = (request: FastifyRequest) => ({
  ...API_HEADERS,
  'x-request-id': request.id,
  ...(request.throttleWindow && throttleHeaders(request.throttleWindow)),
})
