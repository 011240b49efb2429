import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ServerResponse } from 'node:http'
import { API_HEADERS } from '../../http/wire/headers.ts'
import { addressKey, memoryThrottle } from '../../http/admission/throttle.ts'
import { resetSeconds, throttleHeaders } from '../../http/wire/rate-limit.ts'
import type { Identity } from '../identity.ts'
import { providerBridge } from './provider-bridge.ts'
import { userinfo } from './userinfo.ts'

export type IdentityPluginOptions = { identity: Identity; authUrl: string; tokenRequestsPerMinute: number }

type Endpoint = {
  url: string
  methods: ('GET' | 'POST')[]
  /** Programs call it, from any origin (decision 0002); without it a browser shows what it answers. */
  forPrograms?: true
  handle?: 'authorize' | 'pushed' | 'aboutToken' | 'endSession' | 'metadata'
}

const ENDPOINTS: Endpoint[] = [
  { url: '/oidc/.well-known/openid-configuration', methods: ['GET'], forPrograms: true },
  // RFC 8414 §3.1: the issuer's path comes behind the well-known one.
  {
    url: '/.well-known/oauth-authorization-server/oidc',
    methods: ['GET'],
    forPrograms: true,
    handle: 'metadata',
  },
  { url: '/oidc/jwks', methods: ['GET'], forPrograms: true },
  { url: '/oidc/token', methods: ['POST'], forPrograms: true },
  { url: '/oidc/token/revocation', methods: ['POST'], forPrograms: true, handle: 'aboutToken' },
  { url: '/oidc/token/introspection', methods: ['POST'], forPrograms: true, handle: 'aboutToken' },
  { url: '/oidc/request', methods: ['POST'], forPrograms: true, handle: 'pushed' },
  { url: '/oidc/device/auth', methods: ['POST'], forPrograms: true },
  { url: '/oidc/auth', methods: ['GET', 'POST'], handle: 'authorize' },
  { url: '/oidc/auth/:uid', methods: ['GET'] },
  { url: '/oidc/device', methods: ['GET', 'POST'] },
  { url: '/oidc/device/:uid', methods: ['GET'] },
  { url: '/oidc/session/end', methods: ['GET', 'POST'], handle: 'endSession' },
  { url: '/oidc/session/end/confirm', methods: ['POST'] },
  { url: '/oidc/session/end/success', methods: ['GET'] },
]

/** A request or a session of a browser begins there, and has a row. */
const WRITES_BY_GET = new Set<string | undefined>([
  '/oidc/auth',
  '/oidc/device',
  '/oidc/device/:uid',
  '/oidc/session/end',
])

const ALL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Mounts the OpenID provider (§4.4), which reads and writes the bare request itself. */
export async function identityPlugin(
  app: FastifyInstance,
  { identity, authUrl, tokenRequestsPerMinute }: IdentityPluginOptions,
) {
  const provider = providerBridge(identity, authUrl)
  const throttle = memoryThrottle()

  // The provider reads the body itself: leave the stream alone.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))

  /** Of what writes rows or costs a signature, whoever asks; reading the keys is free. */
  function limitRequests(request: FastifyRequest, reply: FastifyReply, done: () => void) {
    if (request.method !== 'POST' && !WRITES_BY_GET.has(request.routeOptions.url)) return done()
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
      { 'retry-after': String(seconds) },
    )
  }

  for (const endpoint of ENDPOINTS) {
    const { url, methods, forPrograms, handle } = endpoint
    const common = { url, config: { access: 'protocol' }, schema: { hide: true } } as const
    const answered = [
      ...methods.filter((method) => method === 'GET' || !readsBody(endpoint)),
      ...(methods.includes('GET') ? ['HEAD'] : []),
      ...(forPrograms ? ['OPTIONS'] : []),
    ]
    app.route({
      ...common,
      method: answered,
      onRequest: limitRequests,
      handler(request, reply) {
        // A browser's question whether it may ask is the library's to answer.
        if (request.method !== 'OPTIONS') keepHeaders(reply.raw, headersOf(request, forPrograms))
        reply.hijack()
        if (handle === 'authorize') provider.authorize(request.raw, reply.raw)
        else if (handle === 'metadata') provider.handle(request.raw, reply.raw, DISCOVERY)
        else provider.handle(request.raw, reply.raw)
      },
    })
    const possible = [...new Set([...answered, ...methods])]
    app.route({
      ...common,
      method: ALL_METHODS.filter((other) => !possible.includes(other)),
      handler: (request, reply) =>
        refuse(
          reply,
          request,
          405,
          'invalid_request',
          `${request.method} is not possible here; ${methods.join(', ')} are.`,
          { allow: possible.join(', ') },
        ),
    })
  }
  await app.register(postedForms)
  await app.register(userinfo, { identity })

  app.all('/oidc/*', { config: { access: 'protocol' }, schema: { hide: true } }, (request, reply) =>
    refuse(reply, request, 404, 'invalid_request', 'There is no such address.'),
  )

  /** Where a posted form has to be looked at before the provider gets it. */
  async function postedForms(scope: FastifyInstance) {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(FORM, { parseAs: 'string' }, (_request, body, done) => done(null, body))
    scope.setErrorHandler((error: FastifyError, request, reply) =>
      refuse(
        reply,
        request,
        error.statusCode ?? 500,
        'invalid_request',
        `Send a form as ${FORM}, up to 64 KiB.`,
      ),
    )
    for (const { url, forPrograms, handle } of ENDPOINTS.filter(readsBody))
      scope.post(
        url,
        { config: { access: 'protocol' }, schema: { hide: true }, onRequest: limitRequests },
        (request, reply) => {
          const form = typeof request.body === 'string' ? request.body : ''
          // OpenID Connect Core §3.1.2.1 has these by POST too: a browser is sent on to ask by GET, with its cookies,
          // which SameSite keeps from a form of another site.
          if (!forPrograms) return reply.redirect(`${url}?${new URLSearchParams(form).toString()}`, 303)
          keepHeaders(reply.raw, headersOf(request, forPrograms))
          reply.hijack()
          if (handle === 'pushed') return provider.handlePushed(request.raw, reply.raw, form)
          return provider.handleToken(request.raw, reply.raw, form)
        },
      )
  }
}

const FORM = 'application/x-www-form-urlencoded'
const DISCOVERY = '/oidc/.well-known/openid-configuration'

const READ_HERE = new Set<Endpoint['handle']>(['authorize', 'pushed', 'endSession', 'aboutToken'])
const readsBody = ({ methods, handle }: Endpoint) => methods.includes('POST') && READ_HERE.has(handle)

/** On every answer of the provider, beside its own. */
function headersOf(request: FastifyRequest, forPrograms: true | undefined = true): Record<string, string> {
  return {
    ...(forPrograms && API_HEADERS),
    'x-content-type-options': 'nosniff',
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
