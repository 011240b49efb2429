import type { FastifyInstance } from 'fastify'
import { enqueueRegistrationNotice } from './accounts/mail/registration-notice.ts'
import { userProfileRoutes } from './accounts/profile/routes.ts'
import { developerRoutes } from './apps/routes.ts'
import { APPLICATION_SCOPES, USER_SCOPES } from './apps/rules/scopes.ts'
import { entryLists } from './browse/lists/entry-lists.ts'
import { browse } from './browse/plugin.ts'
import { ResponseCache } from './catalog/cache/response-cache.ts'
import { FeedWaiters } from './catalog/changes/feed-waiters.ts'
import type { FeedPage } from './catalog/changes/queries.ts'
import { catalog } from './catalog/plugin.ts'
import { collections } from './collections/plugin.ts'
import type { Database } from './db/database.ts'
import type { Reads } from './db/replicas/reads.ts'
import type { DatabaseClock } from './db/upkeep/database-clock.ts'
import type { Signals } from './db/upkeep/signals.ts'
import { createGuards } from './guards.ts'
import { createHttpServer, type HttpServerOptions } from './http-server.ts'
import { guardRoutes } from './http/admission/access.ts'
import { anonymousKey } from './http/admission/anonymous-guard.ts'
import { DelegatedCallers } from './http/admission/delegated-callers.ts'
import { failedAuthentications } from './http/admission/failed-authentications.ts'
import type { OpenThrottle, Throttle } from './http/admission/throttle.ts'
import { openApiDocument } from './http/document/openapi.ts'
import { PictureUrls } from './http/wire/picture-urls.ts'
import { viewerResolver } from './identity/browser/browser-session.ts'
import { localOutboxOf } from './identity/browser/options.ts'
import { browserPages } from './identity/browser/plugin.ts'
import type { Identity } from './identity/identity.ts'
import { identityPlugin } from './identity/provider/plugin.ts'
import { UpstreamClient } from './identity/upstream/upstream-client.ts'
import type { Instance } from './instance/instance.ts'
import { watchAnnouncement } from './instance/watch-announcement.ts'
import { mcp, protectedResource } from './mcp/plugin.ts'
import { moderation } from './moderation/routes.ts'
import { health } from './operations/health.ts'
import type { Monitor } from './operations/metrics/monitor.ts'
import { probe } from './operations/probe.ts'
import { webPages } from './pages.ts'
import { publicProfiles } from './profiles/plugin.ts'
import { importQueue } from './ratings/lists/imports/import-queue.ts'
import { ratings } from './ratings/plugin.ts'
import type { Totals } from './ratings/totals/totals.ts'
import type { SearchFrequencies } from './search/index/search-index.ts'
import { search } from './search/plugin.ts'
import { similar } from './similar/plugin.ts'
import { allowedPictureOrigins } from './site/pictures/fetch-picture.ts'
import { servePictures } from './site/pictures/plugin.ts'
import { nearestEntries } from './site/search/nearest-entries.ts'
import { watchSources } from './site/watch-sources.ts'
import { assetUrls, readAssets, assetRoutes } from './ui/assets.ts'
import { uploadRoutes } from './uploads/routes.ts'
import type { UploadBucket } from './uploads/upload-bucket.ts'

export type AppOptions = Omit<HttpServerOptions, 'monitor'> & {
  instance: Instance
  db: Database
  /** Database handle for catalog reads, which may run on a replica. Defaults to the primary. */
  reads?: Reads
  signals: Signals
  clock: DatabaseClock
  /** Undefined if no bucket is configured. */
  uploadBucket?: UploadBucket | undefined
  identity: Identity
  /** Counts requests from applications and users. */
  throttle: Throttle
  /** Creates throttles for other requests, which are counted by IP address. */
  openThrottle: OpenThrottle
  totals: Totals
  frequencies: SearchFrequencies['now']
  /** Undefined if Redis is not configured. */
  isRedisThere?: (() => boolean) | undefined
  /** Makes the outbox send a newly added email at once. */
  wakeOutbox: () => void
  /** Receives the events that the metrics count. */
  monitor?:
    | Pick<Monitor, 'watchApp' | 'watchCache' | 'watchWaiters' | 'onPicture' | 'onBucket'>
    | undefined
}

/** Builds the app from all parts of the service, in order. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const {
    config,
    instance,
    db,
    reads = db,
    signals,
    clock,
    identity,
    throttle,
    openThrottle,
  } = options
  const {
    uploadBucket,
    usage,
    totals,
    frequencies,
    wakeOutbox,
    isRedisThere,
    drain,
    monitor,
    log,
  } = options
  const cache = new ResponseCache(config.catalogCacheBytes)
  const { app, ready } = createHttpServer(options, cache)
  const callers = new DelegatedCallers()
  const countFailure = failedAuthentications(
    config.failedAuthenticationsPerMinute,
    openThrottle('failures'),
  )
  guardRoutes(
    app,
    createGuards({
      config,
      identity,
      verifyToken: callers.verifyAlso(identity.verifyToken),
      throttle,
      usage,
      failedAuthentications: countFailure,
    }),
  )
  if (config.images === 'on' && config.apiPictures === 'own')
    app.decorate(
      'pictureUrls',
      new PictureUrls({
        secret: identity.cookieKeys[0] ?? '',
        baseUrl: config.baseUrl,
        origins: allowedPictureOrigins(config.imageOrigins),
      }),
    )
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
  const { authUrl, apiUrl, baseUrl, appsPerAccount } = config
  await app.register(browserPages, {
    ...config,
    db,
    uploadBucket,
    identity,
    wakeOutbox,
    localOutbox: localOutboxOf(config),
    upstream: config.upstreamProviders.map(
      (provider) => new UpstreamClient(provider, { now: clock.now }),
    ),
    log,
    signals,
    requestsPerMinute: config.tokenRequestsPerMinute,
    throttle: openThrottle('forms'),
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
  await app.register(uploadRoutes, { db, uploadBucket })
  const waiters = new FeedWaiters<FeedPage>(config.maxWaitingRequests)
  signals.on('feed', () => waiters.wake())
  drain.onBegin(() => waiters.close())
  app.addHook('preClose', async () => waiters.close())
  monitor?.watchWaiters(waiters)
  await app.register(catalog, {
    db,
    reads,
    cache,
    baseUrl,
    waiters,
    verifyToken: identity.verifyToken,
    lists: entryLists(reads),
  })
  await app.register(browse, { db: reads })
  await app.register(search, { db: reads, frequencies })
  const imports = importQueue()
  await app.register(ratings, { db, reads, imports, authUrl })
  await app.register(similar, { db: reads })
  await app.register(collections, { db, apiUrl, authUrl })
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
    urls: { baseUrl, apiUrl, authUrl },
    failedAuthentications: countFailure,
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
      uploadBucket,
      baseUrl,
      appsPerAccount,
      webhooks: config.webhooks,
      secretKey: config.secretKey,
      wakeOutbox,
    },
  })
  const [apiAudience = '', mcpUrl] = identity.audiences
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
    uploadBucket,
    signals,
    appsPerAccount,
    baseUrl,
    notifyOwner: enqueueRegistrationNotice,
    wakeOutbox,
  })

  await ready()
  return app
}
