import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { asksForPage } from '../../http/wire/requests/asks-for-page.ts'
import type { Throttle } from '../../http/admission/throttle.ts'
import { PREFLIGHT_HEADERS } from '../../http/wire/errors/headers.ts'
import type { Identity } from '../identity.ts'
import { DISCOVERY, ENDPOINTS, type Endpoint } from './endpoints.ts'
import { limitRequests } from './requests/limit-requests.ts'
import { keepRequest } from './page-frame.ts'
import {
  protocolHeaders,
  refuse,
  sendOAuthError,
  setFixedHeaders,
} from './requests/protocol-answers.ts'
import { providerBridge, withBody } from './provider-bridge.ts'
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

  app.removeAllContentTypeParsers()
  app.addContentTypeParser(FORM, { parseAs: 'string' }, (_request, body, done) => done(null, body))
  // The provider rejects any other type itself, so leave the stream unread.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  limitRequests(app, throttle, tokenRequestsPerMinute)

  for (const endpoint of ENDPOINTS) {
    const methods = methodsOfUntouchedBody(endpoint)
    app.route({
      ...PROTOCOL,
      url: endpoint.url,
      method: methods,
      config: { ...PROTOCOL.config, endpoint },
      errorHandler: refuseForm(endpoint),
      handler(request, reply) {
        // As everywhere else; the library's own preflight would say other things.
        if (request.method === 'OPTIONS') return reply.status(204).headers(PREFLIGHT_HEADERS).send()
        prepareAnswer(request, reply, endpoint)
        const raw =
          typeof request.body === 'string' ? withBody(request.raw, request.body) : request.raw
        if (!endpoint.forPrograms) keepRequest(raw, request)
        reply.hijack()
        if (endpoint.get === 'authorization') provider.handleAuthorization(raw, reply.raw)
        else if (endpoint.get === 'discovery') provider.handle(raw, reply.raw, DISCOVERY)
        else provider.handle(raw, reply.raw)
      },
    })
    refuseOtherMethods(endpoint, [...new Set([...methods, ...endpoint.methods])])
  }
  await app.register(formsReadHere)
  await app.register(userinfo, { identity })

  app.all('/oidc/*', {
    ...PROTOCOL,
    // Before the body is read.
    onRequest: (request, reply, _done) =>
      void refuse(
        request,
        reply,
        { status: 404, error: 'invalid_request', error_description: 'There is no such address.' },
        !asksForPage(request),
      ),
    handler: () => undefined,
  })

  /** The POST routes whose body has to be looked at before the provider gets it. */
  async function formsReadHere(scope: FastifyInstance) {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(FORM, { parseAs: 'string' }, (_request, body, done) =>
      done(null, body),
    )
    for (const endpoint of ENDPOINTS.filter(({ post }) => post !== undefined)) {
      const { url, post } = endpoint
      const config = { ...PROTOCOL.config, endpoint }
      scope.post(
        url,
        { ...PROTOCOL, config, errorHandler: refuseForm(endpoint) },
        (request, reply) => {
          const form = typeof request.body === 'string' ? request.body : ''
          // OpenID Connect Core §3.1.2.1 has these by POST too. The browser is redirected to GET, with its cookies, which
          // SameSite keeps from a form of another site.
          if (post === 'redirectToGet')
            return reply
              .headers(protocolHeaders(request, false))
              .redirect(`${url}?${new URLSearchParams(form).toString()}`, 303)
          prepareAnswer(request, reply, endpoint)
          reply.hijack()
          if (post === 'pushedAuthorization')
            return provider.handlePushedAuthorization(request.raw, reply.raw, form)
          return provider.handleRequestAboutToken(request.raw, reply.raw, form)
        },
      )
    }
  }

  function refuseOtherMethods({ url, methods, forPrograms = false }: Endpoint, allowed: string[]) {
    app.route({
      ...PROTOCOL,
      url,
      method: ALL_METHODS.filter((method) => !allowed.includes(method)),
      // Before the body is read.
      onRequest: (request, reply, _done) =>
        void refuse(
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
      handler: () => undefined,
    })
  }
}

const refuseForm =
  ({ forPrograms = false }: Endpoint) =>
  (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    const { statusCode: status = 500 } = error
    if (status >= 500) throw error
    const error_description = `Send a form as ${FORM}, up to 64 KiB.`
    return sendOAuthError(
      request,
      reply,
      { status, error: 'invalid_request', error_description },
      forPrograms,
    )
  }

/** Methods whose unparsed body is passed to the provider. */
const methodsOfUntouchedBody = ({ methods, post, forPrograms }: Endpoint): string[] => [
  ...methods.filter((method) => method === 'GET' || post === undefined),
  ...(methods.includes('GET') ? ['HEAD'] : []),
  ...(forPrograms ? ['OPTIONS'] : []),
]

function prepareAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  { forPrograms = false }: Endpoint,
) {
  // What the library takes for the client's address, by the rules of this service for what proxies say of it.
  request.raw.headers['x-forwarded-for'] = request.ip
  setFixedHeaders(reply.raw, protocolHeaders(request, forPrograms))
}
