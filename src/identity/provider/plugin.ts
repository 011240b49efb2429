import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { asksForPage } from '../../http/wire/asks-for-page.ts'
import { addressKey, type Throttle } from '../../http/admission/throttle.ts'
import { resetSeconds, type RateLimitWindow } from '../../http/wire/rate-limit.ts'
import { PREFLIGHT_HEADERS } from '../../http/wire/headers.ts'
import type { Identity } from '../identity.ts'
import { DISCOVERY, ENDPOINTS, type Endpoint } from './endpoints.ts'
import { keepRequest } from './page-frame.ts'
import { protocolHeaders, refuse, sendOAuthError, setFixedHeaders } from './protocol-answers.ts'
import { providerBridge } from './provider-bridge.ts'
import { userinfo } from './userinfo.ts'

export type IdentityPluginOptions = {
  identity: Identity
  authUrl: string
  throttle: Throttle
  tokenRequestsPerMinute: number
}

const ALL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const FORM = 'application/x-www-form-urlencoded'
const PROTOCOL = { config: { access: 'protocol' }, schema: { hide: true } } as const

/**
 * Mounts the OpenID provider (§4.4), which reads the raw request and writes the raw answer itself. A request goes to it
 * as `provider-bridge.ts` rewrites it; here is decided which requests get that far.
 */
export async function identityPlugin(
  app: FastifyInstance,
  { identity, authUrl, throttle, tokenRequestsPerMinute }: IdentityPluginOptions,
) {
  const provider = providerBridge(identity, authUrl)

  // The provider reads the body itself: leave the stream alone.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))

  for (const endpoint of ENDPOINTS) {
    const methods = methodsOfUntouchedBody(endpoint)
    app.route({
      ...PROTOCOL,
      url: endpoint.url,
      method: methods,
      onRequest: limitRequests(endpoint),
      handler(request, reply) {
        // As everywhere else; the library's own preflight would say other things.
        if (request.method === 'OPTIONS') return reply.status(204).headers(PREFLIGHT_HEADERS).send()
        prepareAnswer(request, reply, endpoint)
        if (!endpoint.forPrograms) keepRequest(request)
        reply.hijack()
        if (endpoint.get === 'authorization') provider.handleAuthorization(request.raw, reply.raw)
        else if (endpoint.get === 'discovery') provider.handle(request.raw, reply.raw, DISCOVERY)
        else provider.handle(request.raw, reply.raw)
      },
    })
    refuseOtherMethods(endpoint, [...new Set([...methods, ...endpoint.methods])])
  }
  await app.register(formsReadHere)
  await app.register(userinfo, { identity })

  app.all('/oidc/*', PROTOCOL, (request, reply) =>
    refuse(
      request,
      reply,
      { status: 404, error: 'invalid_request', error_description: 'There is no such address.' },
      !asksForPage(request),
    ),
  )

  /** The POST routes whose body has to be looked at before the provider gets it. */
  async function formsReadHere(scope: FastifyInstance) {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(FORM, { parseAs: 'string' }, (_request, body, done) => done(null, body))
    for (const endpoint of ENDPOINTS.filter(({ post }) => post !== undefined)) {
      const { url, post, forPrograms = false } = endpoint
      const errorHandler = (error: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
        sendOAuthError(
          request,
          reply,
          {
            status: error.statusCode ?? 500,
            error: 'invalid_request',
            error_description: `Send a form as ${FORM}, up to 64 KiB.`,
          },
          forPrograms,
        )
      const onRequest = limitRequests(endpoint)
      scope.post(url, { ...PROTOCOL, onRequest, errorHandler }, (request, reply) => {
        const form = typeof request.body === 'string' ? request.body : ''
        // OpenID Connect Core §3.1.2.1 has these by POST too. The browser is redirected to GET, with its cookies, which
        // SameSite keeps from a form of another site.
        if (post === 'redirectToGet')
          return reply.redirect(`${url}?${new URLSearchParams(form).toString()}`, 303)
        prepareAnswer(request, reply, endpoint)
        reply.hijack()
        if (post === 'pushedAuthorization')
          return provider.handlePushedAuthorization(request.raw, reply.raw, form)
        return provider.handleRequestAboutToken(request.raw, reply.raw, form)
      })
    }
  }

  /** Limits what stores rows or costs a signature, whoever sends it; reading the keys is free. */
  function limitRequests({ getWrites = false, forPrograms = false }: Endpoint) {
    return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
      if (request.method !== 'POST' && !getWrites) return done()
      const settle = (window: RateLimitWindow) => {
        request.throttleWindow = window
        if (!window.exceeded) return done()
        const seconds = resetSeconds(window)
        refuse(
          request,
          reply,
          {
            status: 429,
            error: 'temporarily_unavailable',
            error_description: `Too many token requests from this address. Wait ${seconds} seconds.`,
            headers: { 'retry-after': String(seconds) },
          },
          forPrograms,
        )
      }
      const window = throttle(addressKey(request.ip), tokenRequestsPerMinute)
      if (window instanceof Promise) window.then(settle, done)
      else settle(window)
    }
  }

  function refuseOtherMethods({ url, methods, forPrograms = false }: Endpoint, allowed: string[]) {
    app.route({
      ...PROTOCOL,
      url,
      method: ALL_METHODS.filter((method) => !allowed.includes(method)),
      handler: (request, reply) =>
        refuse(
          request,
          reply,
          {
            status: 405,
            error: 'invalid_request',
            error_description: `${request.method} is not possible here; ${methods.join(', ')} are.`,
            headers: { allow: allowed.join(', ') },
          },
          forPrograms,
        ),
    })
  }
}

/** The methods of the route that hands the stream of the request to the provider untouched. */
const methodsOfUntouchedBody = ({ methods, post, forPrograms }: Endpoint): string[] => [
  ...methods.filter((method) => method === 'GET' || post === undefined),
  ...(methods.includes('GET') ? ['HEAD'] : []),
  ...(forPrograms ? ['OPTIONS'] : []),
]

function prepareAnswer(request: FastifyRequest, reply: FastifyReply, { forPrograms = false }: Endpoint) {
  // What the library takes for the client's address, by the rules of this service for what proxies say of it.
  request.raw.headers['x-forwarded-for'] = request.ip
  setFixedHeaders(reply.raw, protocolHeaders(request, forPrograms))
}
