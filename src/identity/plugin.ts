import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { API_HEADERS } from '../http/headers.ts'
import { addressKey, memoryThrottle, resetSeconds, throttleHeaders } from '../http/throttle.ts'
import type { Identity } from './identity.ts'

export type IdentityPluginOptions = { identity: Identity; authUrl: string; tokenRequestsPerMinute: number }

/** What of the provider is open; the rest of it waits for sign-in and consent. */
const ENDPOINTS = [
  { method: ['POST', 'OPTIONS'], url: '/oidc/token' },
  { method: ['GET', 'HEAD', 'OPTIONS'], url: '/oidc/jwks' },
  { method: ['GET', 'HEAD', 'OPTIONS'], url: '/oidc/.well-known/openid-configuration' },
]

/** Mounts the OpenID provider (§4.4), which reads and writes the bare request itself. */
export async function identityPlugin(
  app: FastifyInstance,
  { identity, authUrl, tokenRequestsPerMinute }: IdentityPluginOptions,
) {
  const { host, protocol } = new URL(authUrl)
  const throttle = memoryThrottle()

  // The provider reads the body itself: leave the stream alone.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))

  function limitTokenRequests(request: FastifyRequest, reply: FastifyReply, done: () => void) {
    const window = throttle(addressKey(request.ip), tokenRequestsPerMinute)
    request.throttleWindow = window
    if (!window.exceeded) return done()
    const seconds = resetSeconds(window)
    refuse(
      reply,
      request,
      429,
      'temporarily_unavailable',
      `Too many token requests from this address. Wait ${seconds} seconds.`,
      {
        'retry-after': String(seconds),
      },
    )
  }

  for (const { method, url } of ENDPOINTS) {
    const common = { url, config: { access: 'protocol' }, schema: { hide: true } } as const
    app.route({
      ...common,
      method,
      ...(url === '/oidc/token' && { onRequest: limitTokenRequests }),
      handler: (request, reply) => {
        // A browser's question whether it may ask is the library's to answer.
        if (request.method !== 'OPTIONS') keepHeaders(reply.raw, headersOf(request))
        reply.hijack()
        toProvider(request.raw, reply.raw)
      },
    })
    app.route({
      ...common,
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((other) => !method.includes(other)),
      handler: (request, reply) =>
        refuse(
          reply,
          request,
          405,
          'invalid_request',
          `${request.method} is not possible here; ${method.join(', ')} are.`,
          {
            allow: method.join(', '),
          },
        ),
    })
  }

  app.all('/oidc/*', { config: { access: 'protocol' }, schema: { hide: true } }, (request, reply) =>
    refuse(reply, request, 404, 'invalid_request', 'There is no such address.'),
  )

  /** Whatever the request says of its host, the provider is at the address it was configured with. */
  function toProvider(request: IncomingMessage & { originalUrl?: string }, response: ServerResponse) {
    request.headers.host = host
    request.headers['x-forwarded-proto'] = protocol.slice(0, -1)
    delete request.headers['x-forwarded-host']
    request.originalUrl = request.url ?? '/'
    request.url = request.originalUrl.slice('/oidc'.length)
    void identity.handle(request, response)
  }
}

/** On every answer of the provider, beside its own. */
function headersOf(request: FastifyRequest): Record<string, string> {
  return {
    ...API_HEADERS,
    'x-request-id': request.id,
    ...(request.throttleWindow && throttleHeaders(request.throttleWindow)),
  }
}

/** Sets headers that stay as they are: the library's own CORS reflects the origin and exposes less. */
function keepHeaders(response: ServerResponse, headers: Record<string, string>) {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  const setHeader = response.setHeader.bind(response)
  response.setHeader = (name, value) =>
    Object.hasOwn(headers, name.toLowerCase()) ? response : setHeader(name, value)
}

/** A refusal in the words of OAuth (RFC 6749 §5.2). */
function refuse(
  reply: FastifyReply,
  request: FastifyRequest,
  status: number,
  error: string,
  error_description: string,
  headers: Record<string, string> = {},
) {
  return reply
    .status(status)
    .headers({ ...headersOf(request), 'cache-control': 'no-store', ...headers })
    .send({ error, error_description })
}
