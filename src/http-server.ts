import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { recordRefusedCalls } from './apps/usage/record-refused-calls.ts'
import type { Usage } from './apps/usage/usage.ts'
import type { ResponseCache } from './catalog/cache/response-cache.ts'
import { isWarmDetail } from './catalog/cache/warm-detail.ts'
import type { Config } from './config/config.ts'
import { redirectToOneLoopbackName } from './http/wire/addresses/loopback-redirect.ts'
import { refusalOfHeaders } from './http/wire/addresses/refuse-repeated-headers.ts'
import { redirectTrailingSlash } from './http/wire/addresses/trailing-slash.ts'
import {
  handleUnknownPreflight,
  handleUnsupportedMethods,
  MAX_PARAM_LENGTH,
} from './http/wire/addresses/unsupported-methods.ts'
import { respondToBadConnection } from './http/wire/bad-connections.ts'
import {
  closeStalledConnections,
  limitConnections,
  limitPipelining,
} from './http/wire/connections.ts'
import { handleErrors, sendError, toApiError } from './http/wire/errors/handle-errors.ts'
import { MAX_BODY_BYTES } from './http/wire/errors/refusals.ts'
import { requestIds } from './http/wire/errors/request-id.ts'
import { useOurCompilers } from './http/wire/requests/compilers.ts'
import { readJsonBodies } from './http/wire/requests/json-bodies.ts'
import { PageMeta } from './http/wire/requests/paging.ts'
import { rejectMalformedQueries } from './http/wire/requests/query-encoding.ts'
import { requestsPage } from './http/wire/requests/requests-page.ts'
import { ErrorEnvelope } from './http/wire/schemas.ts'
import type { Drain } from './operations/drain.ts'
import type { AccessLog } from './operations/log/access-log.ts'
import type { Monitor } from './operations/metrics/monitor.ts'
import type { OverloadProtection } from './operations/overload/protection.ts'
import type { Tracing } from './operations/tracing.ts'
import { warnForwarded } from './operations/warn-forwarded.ts'
import { sendUnscopedErrorPage } from './ui/page/unscoped-error-page.ts'

export type HttpServerOptions = {
  config: Config
  drain: Drain
  /** `undefined` if overload protection is off. */
  overload?: OverloadProtection | undefined
  accessLog?: AccessLog | undefined
  tracing?: Tracing | undefined
  monitor?: Pick<Monitor, 'watchApp'> | undefined
  usage: Usage
  log: Logger
}

/**
 * Creates the HTTP server without routes: the limits of connections and requests, and the response to every request that
 * matches no route.
 *
 * @returns `ready`, which must be called when all routes are registered
 */
export function createHttpServer(
  { config, drain, overload, accessLog, tracing, monitor, usage, log }: HttpServerOptions,
  cache: ResponseCache,
): { app: FastifyInstance; ready: () => Promise<void> } {
  const nextRequestId = requestIds()
  const app = Fastify({
    genReqId: nextRequestId,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: 30_000,
    // By default, Node checks the timeouts above only every 30 seconds. Requests without a Host header get our own
    // error response.
    http: { connectionsCheckingInterval: 2_000, requireHostHeader: false },
    keepAliveTimeout: 72_000,
    // Trusts exactly this number of hops, because the client may have written the earlier entries.
    trustProxy: config.trustedProxies > 0 && ((_address, hop) => hop < config.trustedProxies),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: (error, socket) =>
      respondToBadConnection(error, socket, nextRequestId({ headers: {} })),
    frameworkErrors: (error, request, reply) => {
      const refusal = toApiError(error)
      if (showsPage(request)) void sendUnscopedErrorPage(request, reply, refusal)
      else void sendError(refusal, request, reply)
    },
  })
  namePlugins(app)
  app.server.headersTimeout = 15_000
  tracing?.watchApp(app)
  monitor?.watchApp(app)
  drain.watch(app.server)
  overload?.limit(
    app.server,
    ({ method, url = '' }) =>
      method === 'GET' && (url.startsWith('/assets/') || isWarmDetail(cache, url)),
    nextRequestId,
  )
  limitPipelining(app.server)
  closeStalledConnections(app.server)
  limitConnections(app.server, config.maxConnections, () => nextRequestId({ headers: {} }))
  warnForwarded(app.server, config.trustedProxies, log)
  useOurCompilers(app)
  // Bodies are JSON unless a route accepts other types. Without this, a text body would be parsed as a string and not
  // rejected with 415.
  app.removeContentTypeParser('text/plain')
  readJsonBodies(app)
  for (const schema of [ErrorEnvelope, PageMeta]) app.addSchema(schema)

  // Registered first, because later parts may respond in their own hooks.
  admitRequests(app, config.authUrl.startsWith('https:'))
  rejectMalformedQueries(app)
  redirectToOneLoopbackName(app, config.authUrl)
  accessLog?.watch(app)
  handleErrors(
    app,
    log,
    recordRefusedCalls(usage),
    (request, reply) =>
      otherMethods.respond(request, reply) ||
      handleUnknownPreflight(request, reply, isOfApi(request)) ||
      redirectSlash(request, reply) ||
      showNotFound(request, reply),
  )
  const otherMethods = handleUnsupportedMethods(app, showWrongMethod)
  const redirectSlash = redirectTrailingSlash(app)

  const ready = async () => {
    otherMethods.ready()
    await app.ready()
  }
  return { app, ready }
}

/**
 * Names every plugin. For an unnamed plugin, Fastify searches all loaded modules for a name, which takes longer than
 * registering it.
 */
function namePlugins(app: FastifyInstance) {
  const NAME = Symbol.for('fastify.display-name')
  const register = app.register.bind(app) as (part: object, ...rest: unknown[]) => FastifyInstance
  Object.assign(app, {
    register(part: { name?: string; [NAME]?: string }, ...rest: unknown[]) {
      part[NAME] ??= part.name || 'plugin'
      return register(part, ...rest)
    },
  })
}

/** Sends a 404 page to browsers. Paths of the API always get JSON. */
function showNotFound(request: FastifyRequest, reply: FastifyReply): boolean {
  if (!showsPage(request)) return false
  void sendUnscopedErrorPage(request, reply, { status: 404 })
  return true
}

/** Whether a browser requests a page outside the API. */
const showsPage = (request: FastifyRequest) => requestsPage(request) && !isOfApi(request)

const isOfApi = ({ url }: FastifyRequest) => /^\/(api|v3|mcp)(\/|$)/.test(url)

/** Sends a 405 page to browsers. Paths of the API always get JSON. */
function showWrongMethod(
  request: FastifyRequest,
  reply: FastifyReply,
  headers: Record<string, string>,
): boolean {
  if (!showsPage(request)) return false
  void sendUnscopedErrorPage(request, reply, { status: 405, headers })
  return true
}

/** One year. `includeSubDomains` is omitted, because other hosts of the domain may not be ours. */
const STRICT_TRANSPORT_SECURITY = 'max-age=31536000'

/**
 * Refuses requests with contradictory headers.
 *
 * @param secure whether the public URL uses https
 */
function admitRequests(app: FastifyInstance, secure: boolean) {
  app.addHook('onRequest', (request, reply, done) => {
    // Set on the raw response, because some parts of the service bypass Fastify's reply.
    if (secure) reply.raw.setHeader('strict-transport-security', STRICT_TRANSPORT_SECURITY)
    done(refusalOfHeaders(request))
  })
}
