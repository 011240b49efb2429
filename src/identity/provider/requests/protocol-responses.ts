import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServerResponse } from 'node:http'
import { throttleHeaders } from '../../../http/wire/errors/rate-limit.ts'
import { requestsPage } from '../../../http/wire/requests/requests-page.ts'
import { API_HEADERS } from '../../../http/wire/errors/headers.ts'
import { sendUnscopedErrorPage } from '../../../ui/page/unscoped-error-page.ts'
import type { Endpoint } from '../endpoints.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Route option of the OpenID provider. */
    endpoint?: Endpoint
  }
}

/** Whether any origin may read the response. At unknown URLs, every origin may, unless a browser navigates there. */
function isForPrograms(request: FastifyRequest): boolean {
  const { endpoint } = request.routeOptions.config
  return endpoint ? endpoint.forPrograms === true : !requestsPage(request)
}

/** Returns the headers that every response from the provider has in addition to the library's. */
export function protocolHeaders(
  request: FastifyRequest,
  forPrograms = isForPrograms(request),
): Record<string, string> {
  return {
    ...(forPrograms && API_HEADERS),
    'x-content-type-options': 'nosniff',
    'x-request-id': request.id,
    ...(request.throttleWindow && throttleHeaders(request.throttleWindow)),
  }
}

/** Sets headers that the library cannot change: its own CORS headers reflect the origin and expose fewer headers. */
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

/** Sends an OAuth error response (RFC 6749 §5.2). */
export function sendOAuthError(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers, ...body }: OAuthError,
  forPrograms = isForPrograms(request),
) {
  return reply
    .status(status)
    .headers({ ...protocolHeaders(request, forPrograms), 'cache-control': 'no-store', ...headers })
    .send(body)
}

/**
 * Refuses a request before it reaches the library: with a page if a browser navigates to a page, otherwise with JSON.
 */
export function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: OAuthError,
  forPrograms = isForPrograms(request),
) {
  if (forPrograms || !requestsPage(request))
    return sendOAuthError(request, reply, refusal, forPrograms)
  const { status, headers } = refusal
  return sendUnscopedErrorPage(request, reply, {
    status,
    headers: { ...protocolHeaders(request, false), ...headers },
  })
}
