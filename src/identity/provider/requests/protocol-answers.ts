import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServerResponse } from 'node:http'
import { throttleHeaders } from '../../../http/wire/errors/rate-limit.ts'
import { asksForPage } from '../../../http/wire/requests/asks-for-page.ts'
import { API_HEADERS } from '../../../http/wire/errors/headers.ts'
import { sendRefusalPage } from '../../../ui/page/refusal-page.ts'

/** Headers of every answer at an address of the provider, beside the provider's own. */
export function protocolHeaders(
  request: FastifyRequest,
  forPrograms: boolean,
): Record<string, string> {
  return {
    ...(forPrograms && API_HEADERS),
    'x-content-type-options': 'nosniff',
    'x-request-id': request.id,
    ...(request.throttleWindow && throttleHeaders(request.throttleWindow)),
  }
}

/** Sets headers that the library cannot change: its own CORS reflects the origin and exposes fewer. */
export function setFixedHeaders(response: ServerResponse, headers: Record<string, string>) {
  for (const name in headers) response.setHeader(name, headers[name] ?? '')
  const { setHeader } = response
  response.setHeader = (name, value) =>
    Object.hasOwn(headers, name.toLowerCase()) ? response : setHeader.call(response, name, value)
}

export type OAuthError = {
  status: number
  error: string
  error_description: string
  headers?: Record<string, string>
}

/** Sends an error in the form of OAuth (RFC 6749 §5.2). @param forPrograms whether any origin may read it */
export function sendOAuthError(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers, ...body }: OAuthError,
  forPrograms = true,
) {
  return reply
    .status(status)
    .headers({ ...protocolHeaders(request, forPrograms), 'cache-control': 'no-store', ...headers })
    .send(body)
}

/** Refuses what never reaches the library: with a page, where a browser asks for what people look at. */
export function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: OAuthError,
  forPrograms: boolean,
) {
  if (forPrograms || !asksForPage(request))
    return sendOAuthError(request, reply, refusal, forPrograms)
  const { status, headers } = refusal
  return sendRefusalPage(request, reply, {
    status,
    headers: { ...protocolHeaders(request, false), ...headers },
  })
}
