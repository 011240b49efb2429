import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { addressKey, memoryThrottle, resetSeconds } from '../http/throttle.ts'
import type { Identity } from './identity.ts'

export type IdentityPluginOptions = { identity: Identity; authUrl: string; tokenRequestsPerMinute: number }

/** What of the provider is open; the rest of it waits for sign-in and consent. */
const ENDPOINTS = [
  { method: ['POST', 'OPTIONS'], url: '/oidc/token' },
  { method: ['GET', 'OPTIONS'], url: '/oidc/jwks' },
  { method: ['GET', 'OPTIONS'], url: '/oidc/.well-known/openid-configuration' },
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
    if (!window.exceeded) return done()
    const seconds = resetSeconds(window)
    void reply
      .status(429)
      .headers({
        'retry-after': String(seconds),
        'cache-control': 'no-store',
        'access-control-allow-origin': '*',
      })
      .send({
        error: 'temporarily_unavailable',
        error_description: `Too many token requests from this address. Wait ${seconds} seconds.`,
      })
  }

  for (const endpoint of ENDPOINTS)
    app.route({
      ...endpoint,
      config: { access: 'protocol' },
      schema: { hide: true },
      ...(endpoint.url === '/oidc/token' && { onRequest: limitTokenRequests }),
      handler: (request, reply) => {
        reply.raw.setHeader('x-request-id', request.id)
        reply.hijack()
        toProvider(request.raw, reply.raw)
      },
    })

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
