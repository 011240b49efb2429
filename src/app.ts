import { localOutboxOf } from './identity/browser/options.ts'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { userProfileRoutes } from './accounts/profile/routes.ts'
import { enqueueRegistrationNotice } from './accounts/mail/registration-notice.ts'
import { developerRoutes } from './apps/routes.ts'
import { recordRefusedCalls } from './apps/usage/record-refused-calls.ts'
import { APPLICATION_SCOPES, USER_SCOPES } from './apps/rules/scopes.ts'
import type { Usage } from './apps/usage/usage.ts'
import { entryLists } from './browse/lists/entry-lists.ts'
import { browse } from './browse/plugin.ts'
import { ResponseCache } from './catalog/cache/response-cache.ts'
import { isWarmDetail } from './catalog/cache/warm-detail.ts'
import { anonymousGuard, anonymousKey } from './http/admission/anonymous-guard.ts'
import { countedAs } from './http/admission/bearer.ts'
import { catalogGuard } from './http/admission/catalog-guard.ts'
import { FeedWaiters } from './catalog/changes/feed-waiters.ts'
import type { FeedPage } from './catalog/changes/queries.ts'
import { catalog } from './catalog/plugin.ts'
import { collections } from './collections/plugin.ts'
import type { Config } from './config/config.ts'
import type { Database } from './db/database.ts'
import type { DatabaseClock } from './db/upkeep/database-clock.ts'
import type { Reads } from './db/replicas/reads.ts'
import type { Signals } from './db/upkeep/signals.ts'
import { guardRoutes } from './http/admission/access.ts'
import { DelegatedCallers } from './http/admission/delegated-callers.ts'
import { guard } from './http/admission/guard.ts'
import { failedAuthentications } from './http/admission/failed-authentications.ts'
import { rejectMalformedQueries } from './http/wire/requests/query-encoding.ts'
import { requestsPage } from './http/wire/requests/requests-page.ts'
import { respondToBadConnection } from './http/wire/bad-connections.ts'
import { useOurCompilers } from './http/wire/requests/compilers.ts'
import {
  closeStalledConnections,
  limitConnections,
  limitPipelining,
} from './http/wire/connections.ts'
import { refusalOfHeaders } from './http/wire/addresses/refuse-repeated-headers.ts'
import { MAX_BODY_BYTES } from './http/wire/errors/refusals.ts'
import { handleErrors, sendError, toApiError } from './http/wire/errors/handle-errors.ts'
import { readJsonBodies } from './http/wire/requests/json-bodies.ts'
import { openApiDocument } from './http/document/openapi.ts'
import {
  handleUnsupportedMethods,
  handleUnknownPreflight,
  MAX_PARAM_LENGTH,
} from './http/wire/addresses/unsupported-methods.ts'
import { redirectToOneLoopbackName } from './http/wire/addresses/loopback-redirect.ts'
import { PictureUrls } from './http/wire/picture-urls.ts'
import { PageMeta } from './http/wire/requests/paging.ts'
import { requestIds } from './http/wire/errors/request-id.ts'
import { ErrorEnvelope } from './http/wire/schemas.ts'
import { redirectTrailingSlash } from './http/wire/addresses/trailing-slash.ts'
import type { OpenThrottle, Throttle } from './http/admission/throttle.ts'
import { userGuard } from './http/admission/user-guard.ts'
import type { Identity } from './identity/identity.ts'
import { watchAnnouncement } from './instance/watch-announcement.ts'
import type { Instance } from './instance/instance.ts'
import { browserPages } from './identity/browser/plugin.ts'
import { viewerResolver } from './identity/browser/browser-session.ts'
import { UpstreamClient } from './identity/upstream/upstream-client.ts'
import { identityPlugin } from './identity/provider/plugin.ts'
import { assetUrls, readAssets, assetRoutes } from './ui/assets.ts'
import { sendUnscopedErrorPage } from './ui/page/unscoped-error-page.ts'
import { importQueue } from './ratings/lists/imports/import-queue.ts'
import { publicProfiles } from './profiles/plugin.ts'
import { mcp, protectedResource, withResourceMetadata } from './mcp/plugin.ts'
import { moderation } from './moderation/routes.ts'
import { ratings } from './ratings/plugin.ts'
import { similar } from './similar/plugin.ts'
import type { Totals } from './ratings/totals/totals.ts'
import type { SearchFrequencies } from './search/index/search-index.ts'
import { search } from './search/plugin.ts'
import { uploadRoutes } from './uploads/routes.ts'
import { allowedPictureOrigins } from './site/pictures/fetch-picture.ts'
import { servePictures } from './site/pictures/plugin.ts'
import { webPages } from './pages.ts'
import { watchSources } from './site/watch-sources.ts'
import { nearestEntries } from './site/search/nearest-entries.ts'
import type { Drain } from './operations/drain.ts'
import { health } from './operations/health.ts'
import type { Monitor } from './operations/metrics/monitor.ts'
import type { OverloadProtection } from './operations/overload/protection.ts'
import { probe } from './operations/probe.ts'
import { warnForwarded } from './operations/warn-forwarded.ts'
import type { AccessLog } from './operations/log/access-log.ts'
import type { Tracing } from './operations/tracing.ts'

export type AppOptions = {
  config: Config
  instance: Instance
  db: Database
  /** Database handle for catalog reads, which may run on a replica. Defaults to the primary. */
  reads?: Reads
  signals: Signals
  clock: DatabaseClock
  identity: Identity
  /** Counts requests from applications and users. */
  throttle: Throttle
  /** Creates throttles for other requests, which are counted by IP address. */
  openThrottle: OpenThrottle
  usage: Usage
  totals: Totals
  frequencies: SearchFrequencies['now']
  /** Undefined if Redis is not configured. */
  isRedisThere?: (() => boolean) | undefined
  /** Makes the outbox send a newly added email at once. */
  wakeOutbox: () => void
  drain: Drain
  /** `undefined` if overload protection is off. */
  overload?: OverloadProtection | undefined
  accessLog?: AccessLog | undefined
  tracing?: Tracing | undefined
  /** Receives the events that the metrics count. */
  monitor?:
    | Pick<Monitor, 'watchApp' | 'watchCache' | 'watchWaiters' | 'onPicture' | 'onBucket'>
    | undefined
  log: Logger
}

/** Maximum messages of the protocol per call of a tool: negotiation and the list of tools. */
const MCP_MESSAGES_PER_CALL = 4

/** Builds the app from all parts of the service, in order. */
export async function buildApp({
  config,
  instance,
  db,
  reads = db,
  signals,
  clock,
  identity,
  throttle,
  openThrottle,
  usage,
  totals,
  frequencies,
  wakeOutbox,
  isRedisThere,
  drain,
  overload,
  accessLog,
  tracing,
  monitor,
  log,
}: AppOptions): Promise<FastifyInstance> {
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
  const cache = new ResponseCache(config.catalogCacheBytes)
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

  const callers = new DelegatedCallers()
  const [apiAudience = '', mcpUrl] = identity.audiences
  const guarded = {
    verifyToken: callers.verifyAlso(identity.verifyToken),
    throttle,
    countRequest: usage.countRequest,
    failedAuthentications: failedAuthentications(
      config.failedAuthenticationsPerMinute,
      openThrottle('failures'),
    ),
  }
  guardRoutes(app, {
    catalog: catalogGuard(guarded, {
      requestsPerMinute: config.catalogRequestsPerMinute,
      usage,
      anonymousRequestsPerMinute: config.anonymousCatalog
        ? config.anonymousRequestsPerMinute
        : undefined,
    }),
    anonymous: anonymousGuard(guarded, config.anonymousRequestsPerMinute),
    page: anonymousGuard(guarded, config.pageRequestsPerMinute, 'page'),
    user: userGuard(guarded, {
      requestsPerMinute: config.userRequestsPerMinute,
      keyOf: (caller) => `user:${countedAs(caller)}:${caller.accountId}`,
    }),
    mcp: guard(
      {
        ...guarded,
        verifyToken: identity.verifyMcpToken,
        // Tools call routes that count the request.
        countRequest: () => {},
        failedAuthentications: (request, error) =>
          guarded.failedAuthentications(request, withResourceMetadata(error, mcpUrl ?? '')),
      },
      {
        usersOnly: false,
        defaultScope: null,
        requestsPerMinute: MCP_MESSAGES_PER_CALL * config.userRequestsPerMinute,
        keyOf: (caller) => `mcp:${countedAs(caller)}:${caller.accountId}`,
      },
    ),
    developer: userGuard(guarded, {
      requestsPerMinute: config.developerRequestsPerMinute,
      keyOf: ({ accountId }) => `developer:${accountId}`,
    }),
  })
  if (config.images === 'on' && config.apiPictures === 'own')
    app.decorate(
      'pictureUrls',
      new PictureUrls({
        secret: identity.cookieKeys[0] ?? '',
        baseUrl: config.baseUrl,
        origins: allowedPictureOrigins(config.imageOrigins),
      }),
    )
  const otherMethods = handleUnsupportedMethods(app, showWrongMethod)
  const redirectSlash = redirectTrailingSlash(app)

  monitor?.watchCache(cache)
  signals.on('catalog', () => cache.clear())
  totals.onChange(({ kind, id }) => cache.invalidate(`${kind}/${id}`))

  await openApiDocument(app, {
    ...config,
    scopes: { application: APPLICATION_SCOPES, user: USER_SCOPES },
    // A fixed host keeps the document independent of this service's URL.
    examplePictures: new PictureUrls({
      secret: 'example',
      baseUrl: 'https://catalog.example.org',
      origins: allowedPictureOrigins([]),
    }),
  })
  await app.register(health, { db, isDraining: drain.isDraining })
  await app.register(probe, { key: identity.cookieKeys[0] ?? '' })
  await app.register(identityPlugin, { identity, ...config, throttle: openThrottle('protocol') })
  const assets = await readAssets(instance)
  await app.register(assetRoutes, { assets })
  const [sources, announcement] = await Promise.all([
    watchSources(db, signals),
    watchAnnouncement(db, signals, clock),
  ])
  const assetUrl = assetUrls(assets)
  app.decorate('site', {
    ...instance.site(assetUrl),
    secure: config.authUrl.startsWith('https:'),
    assetUrl,
    sources,
    announcement,
    pictures: config.images === 'on',
    webhooks: config.webhooks === 'on',
    adultWorks: config.adultWorks,
    hasServiceWorker: config.serviceWorker === 'on',
    resolveViewer: viewerResolver(db, identity),
    // Missing paths have no route, and therefore no guard that counts them.
    findNearest: nearestEntries({ db: reads, frequencies }, async (address) => {
      const window = await throttle(anonymousKey('page', address), config.pageRequestsPerMinute)
      return !window.exceeded
    }),
    now: clock.now,
  })
  const { tokenRequestsPerMinute, authUrl, apiUrl, personalTokenDays, secretKey, contact } = config
  const { signUp, signUpMailDomains } = config
  const forms = { requestsPerMinute: tokenRequestsPerMinute, throttle: openThrottle('forms') }
  const personal = {
    authUrl,
    apiUrl,
    personalTokenDays,
    secretKey,
    contact,
    signUp,
    signUpMailDomains,
  }
  await app.register(browserPages, {
    db,
    identity,
    ...personal,
    wakeOutbox,
    localOutbox: localOutboxOf(config),
    upstream: config.upstreamProviders.map(
      (provider) => new UpstreamClient(provider, { now: clock.now }),
    ),
    log,
    signals,
    ...forms,
  })
  await app.register(servePictures, {
    db,
    config,
    signals,
    log,
    throttle: openThrottle('pictures'),
    onPicture: monitor?.onPicture,
    onBucket: monitor?.onBucket,
  })
  await app.register(uploadRoutes, { db })
  const waiters = new FeedWaiters<FeedPage>(config.maxWaitingRequests)
  signals.on('feed', () => waiters.wake())
  drain.onBegin(() => waiters.close())
  app.addHook('preClose', async () => waiters.close())
  monitor?.watchWaiters(waiters)
  await app.register(catalog, {
    db,
    reads,
    cache,
    baseUrl: config.baseUrl,
    waiters,
    verifyToken: identity.verifyToken,
    lists: entryLists(reads),
  })
  await app.register(browse, { db: reads })
  await app.register(search, { db: reads, frequencies })
  const imports = importQueue()
  await app.register(ratings, { db, reads, imports, authUrl })
  await app.register(similar, { db: reads })
  await app.register(collections, { db, apiUrl: config.apiUrl, authUrl })
  await app.register(moderation, { db })
  await app.register(userProfileRoutes, { db, authUrl })
  await app.register(publicProfiles, { db, authUrl })
  await app.register(webPages, {
    db,
    reads,
    cache,
    imports,
    frequencies,
    cookieKeys: identity.cookieKeys,
    contact: config.contact,
    legalPages: instance.legalPages,
    defaultLanguage: config.defaultLanguage,
    urls: { baseUrl: config.baseUrl, apiUrl: config.apiUrl, authUrl },
    failedAuthentications: guarded.failedAuthentications,
    operations: {
      announceSignOut: identity.notifyAppsOfSignOut,
      wakeOutbox,
      isRedisConnected: isRedisThere,
      config,
    },
    authUrl,
    log,
    signals,
    totals,
    console: {
      baseUrl: config.baseUrl,
      appsPerAccount: config.appsPerAccount,
      webhooks: config.webhooks,
      secretKey: config.secretKey,
      wakeOutbox,
    },
  })
  if (apiAudience !== '')
    protectedResource(app, {
      resource: apiAudience,
      authUrl,
      scopes: [...Object.keys(APPLICATION_SCOPES), ...Object.keys(USER_SCOPES)],
      name: 'mokuroku API',
    })
  if (mcpUrl !== undefined)
    await app.register(mcp, {
      root: app,
      callers,
      authUrl,
      mcpUrl,
      undoKey: identity.cookieKeys[0] ?? '',
    })
  await app.register(developerRoutes, {
    db,
    signals,
    appsPerAccount: config.appsPerAccount,
    baseUrl: config.baseUrl,
    notifyOwner: enqueueRegistrationNotice,
    wakeOutbox,
  })

  otherMethods.ready()
  await app.ready()
  return app
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
