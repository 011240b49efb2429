import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Throttle } from '../../http/admission/throttle.ts'
import { PREFLIGHT_HEADERS } from '../../http/wire/errors/headers.ts'
import type { Identity } from '../identity.ts'
import { DISCOVERY, ENDPOINTS, type Endpoint } from './endpoints.ts'
import { limitRequests } from './requests/limit-requests.ts'
import { rememberRequest } from './page-frame.ts'
import {
  protocolHeaders,
  refuse,
  sendOAuthError,
  setFixedHeaders,
} from './requests/protocol-responses.ts'
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
 * Mounts the OpenID provider (§4.4), which reads the raw request and writes the raw response. Decides which requests
 * reach it; `provider-bridge.ts` rewrites those.
 */
export async function identityPlugin(
  app: FastifyInstance,
  { identity, authUrl, throttle, tokenRequestsPerMinute }: IdentityPluginOptions,
) {
  const provider = providerBridge(identity, authUrl)

  takeForms(app)
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
      errorHandler: refuseForm,
      handler(request, reply) {
        // The library's own preflight response differs from that of the API.
        if (request.method === 'OPTIONS') return reply.status(204).headers(PREFLIGHT_HEADERS).send()
        prepareResponse(request, reply)
        const raw =
          typeof request.body === 'string' ? withBody(request.raw, request.body) : request.raw
        if (!endpoint.forPrograms) rememberRequest(raw, request)
        if (endpoint.get === 'authorization') provider.handleAuthorization(raw, reply.raw)
        else provider.handle(raw, reply.raw, endpoint.get === 'discovery' ? DISCOVERY : undefined)
      },
    })
    refuseOtherMethods(endpoint, [...new Set([...methods, ...endpoint.methods])])
  }
  await app.register(formsReadHere)
  await app.register(userinfo, { identity })

  app.all('/oidc/*', {
    ...PROTOCOL,
    // Runs before the body is read.
    onRequest: (request, reply, _done) =>
      void refuse(request, reply, {
        status: 404,
        error: 'invalid_request',
        error_description: 'This URL does not exist.',
      }),
    handler: () => undefined,
  })

  /** POST routes whose body is rewritten before the provider gets it. */
  async function formsReadHere(scope: FastifyInstance) {
    takeForms(scope)
    for (const endpoint of ENDPOINTS.filter(({ post }) => post !== undefined)) {
      const { url, post } = endpoint
      const config = { ...PROTOCOL.config, endpoint }
      scope.post(url, { ...PROTOCOL, config, errorHandler: refuseForm }, (request, reply) => {
        const form = typeof request.body === 'string' ? request.body : ''
        // OpenID Connect Core §3.1.2.1 also allows POST. After the redirect to GET, the browser sends its cookies,
        // which SameSite withholds from a form on another site.
        if (post === 'redirectToGet')
          return reply
            .headers(protocolHeaders(request))
            .redirect(`${url}?${new URLSearchParams(form).toString()}`, 303)
        prepareResponse(request, reply)
        if (post === 'pushedAuthorization')
          return provider.handlePushedAuthorization(request.raw, reply.raw, form)
        return provider.handleRequestAboutToken(request.raw, reply.raw, form)
      })
    }
  }

  function refuseOtherMethods({ url, methods, forPrograms = false }: Endpoint, allowed: string[]) {
    app.route({
      ...PROTOCOL,
      url,
      method: ALL_METHODS.filter((method) => !allowed.includes(method)),
      // Runs before the body is read.
      onRequest: (request, reply, _done) => {
        const refusal = {
          status: 405,
          error: 'invalid_request',
          error_description: `${request.method} is not allowed here. Use ${methods.join(', ')}.`,
          headers: { allow: allowed.join(', ') },
        }
        void refuse(request, reply, refusal, forPrograms)
      },
      handler: () => undefined,
    })
  }
}

function takeForms(scope: FastifyInstance) {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(FORM, { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  )
}

function refuseForm(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const { statusCode: status = 500 } = error
  if (status >= 500) throw error
  const error_description = `Send a form as ${FORM}, up to 64 KiB.`
  return sendOAuthError(request, reply, { status, error: 'invalid_request', error_description })
}

/** Methods whose unparsed body is passed to the provider. */
const methodsOfUntouchedBody = ({ methods, post, forPrograms }: Endpoint): string[] => [
  ...methods.filter((method) => method === 'GET' || post === undefined),
  ...(methods.includes('GET') ? ['HEAD'] : []),
  ...(forPrograms ? ['OPTIONS'] : []),
]

/** Prepares the raw request and response for the library, which sends the response itself. */
function prepareResponse(request: FastifyRequest, reply: FastifyReply) {
  // The library reads the client's address from this header. `request.ip` follows the proxy rules of this service.
  request.raw.headers['x-forwarded-for'] = request.ip
  setFixedHeaders(reply.raw, protocolHeaders(request))
  reply.hijack()
}
