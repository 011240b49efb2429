import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Signals } from './db/upkeep/signals.ts'
import { requestsPage } from './http/wire/requests/requests-page.ts'
import { respondAfter } from './http/wire/respond-after.ts'
import { pages } from './ui/page/plugin.ts'
import type { Totals } from './ratings/totals/totals.ts'
import { entryPath } from './site/components/entry-path.ts'
import { listPageRoutes } from './site/browse/routes.ts'
import { randomRoutes } from './site/browse/random-routes.ts'
import { searchPageRoutes } from './site/search/routes.ts'
import { tagPageRoutes } from './site/tags/routes.ts'
import { ownCollectionRoutes } from './site/collections/own-routes.ts'
import { collectionPageRoutes } from './site/collections/routes.ts'
import { historyRoutes } from './site/entry/history/history-routes.ts'
import { subjectPageRoutes } from './site/entry/subjects/subject-routes.ts'
import { votePageRoutes } from './site/entry/reviews/vote-routes.ts'
import { workPageRoutes } from './site/entry/works/work-routes.ts'
import { guideRoutes } from './guide/routes.ts'
import { desk } from './desk/plugin.ts'
import type { ConsoleOptions } from './console/options.ts'
import { consoleRoutes } from './console/routes.ts'
import { calendarRoutes } from './site/calendar/routes.ts'
import { draftRoutes } from './site/draft/routes.ts'
import { communityRoutes } from './site/community/routes.ts'
import { followingRoutes } from './site/following/routes.ts'
import { notificationRoutes } from './site/notifications/routes.ts'
import { homeRoutes } from './site/home/routes.ts'
import { PageCache } from './site/page-cache.ts'
import { legalRoutes } from './site/legal/routes.ts'
import { importRoutes } from './site/import/routes.ts'
import { libraryRoutes } from './site/library/routes.ts'
import { appRoutes } from './machines/app-routes.ts'
import { calendarFeedRoutes } from './machines/calendar-feed.ts'
import { feedRoutes } from './machines/feed.ts'
import { privateFeedRoutes } from './machines/private-feeds.ts'
import { wellKnownRoutes } from './machines/well-known-routes.ts'
import { sitemapRoutes } from './machines/sitemap.ts'
import { publicProfilePageRoutes } from './site/profile/routes.ts'
import { profileSettingsPageRoutes } from './site/profile/settings-page.ts'
import { reportRoutes } from './site/reports/routes.ts'
import { countUnread } from './notifications/queries.ts'
import type { PageRouteOptions } from './site/options.ts'

const ROUTES = [
  homeRoutes,
  legalRoutes,
  listPageRoutes,
  randomRoutes,
  calendarRoutes,
  searchPageRoutes,
  tagPageRoutes,
  communityRoutes,
  libraryRoutes,
  followingRoutes,
  notificationRoutes,
  draftRoutes,
  importRoutes,
  profileSettingsPageRoutes,
  publicProfilePageRoutes,
  collectionPageRoutes,
  ownCollectionRoutes,
  workPageRoutes,
  subjectPageRoutes,
  historyRoutes,
  votePageRoutes,
  feedRoutes,
  calendarFeedRoutes,
  privateFeedRoutes,
  appRoutes,
  wellKnownRoutes,
  guideRoutes,
  reportRoutes,
  desk,
]

export type WebPagesOptions = PageRouteOptions & {
  cookieKeys: string[]
  authUrl: string
  log: Logger
  signals: Signals
  totals: Totals
  console: Omit<ConsoleOptions, 'db' | 'authUrl'>
}

/** Registers all catalog pages. */
export async function webPages(
  app: FastifyInstance,
  { cookieKeys, authUrl, log, signals, totals, console, ...options }: WebPagesOptions,
) {
  const listed: string[] = []
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.access !== 'page')
      throw new Error(`${String(method)} ${url} is not rate-limited: set its access to page`)
    if (config.isListed === true && method === 'GET') listed.push(url)
  })
  await pages(app, { cookieKeys, origin: authUrl, secure: authUrl.startsWith('https:'), log })
  respondAfter(app, signals.catchUp)
  const cache = new PageCache()
  signals.on('catalog', () => cache.clear())
  signals.on('takedowns', () => cache.clear())
  totals.onChange(({ kind, id }) => cache.invalidate(entryPath(kind, id)))
  app.decorate('pageCache', cache)
  app.decorateRequest('generation', 0)
  app.addHook('preHandler', (request, reply, done) => {
    request.generation = cache.generation
    if (!cache.sendCached(request, reply)) done()
  })
  app.addHook('preHandler', async (request) => {
    // Guests without cookies have no page context yet.
    if (request.method !== 'GET' || request.headers.cookie === undefined || !requestsPage(request))
      return
    const { viewer } = request.page
    if (viewer) request.page.unread = await countUnread(options.db, viewer.accountId, viewer.nsfw)
  })
  for (const routes of ROUTES) await app.register(routes, options)
  await app.register(sitemapRoutes, { db: options.db, reads: options.reads, listed })
  await app.register(consoleRoutes, { db: options.db, authUrl, ...console })
}
