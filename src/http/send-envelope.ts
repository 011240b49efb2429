import type { FastifyReply, FastifyRequest } from 'fastify'
import { ENVELOPE_START, envelopeEnd } from './envelope.ts'
import { API_HEADERS } from './headers.ts'

/** Sends `data` in the envelope of §2.1; not for the hot path, which has its own (catalog/send.ts). */
export function sendEnvelope(request: FastifyRequest, reply: FastifyReply, data: unknown) {
  return reply
    .headers({ ...API_HEADERS, 'x-request-id': request.id, 'cache-control': 'no-store' })
    .type('application/json; charset=utf-8')
    .send(ENVELOPE_START + JSON.stringify(data) + envelopeEnd(request.id))
}
