import type { FastifyReply, FastifyRequest } from 'fastify'
import { contentSecurityPolicy, PAGE_HEADERS, type View } from '../ui/page/page.ts'
import { renderForRequest, sendPage } from '../ui/page/send-page.ts'
import { isSharedByGuests, type PageCache } from './page-cache.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Set in the scope of the catalog pages. */
    pageCache?: PageCache
  }
  interface FastifyRequest {
    /** Generation of the page cache when the request started. */
    generation: number
  }
}

/** Catalog pages load pictures only from this service. */
const HEADERS = {
  ...PAGE_HEADERS,
  'content-security-policy': contentSecurityPolicy("'self' data:"),
}

/** Browsers revalidate guest pages on every visit, so that signing in takes effect at once. */
const GUEST_HEADERS = {
  ...HEADERS,
  'cache-control': 'private, no-cache',
  vary: 'Accept, Accept-Encoding, Accept-Language, Cookie',
}

/**
 * Sends a catalog page. Pages of signed-in users are never cached; guest pages are cached briefly and have an ETag.
 *
 * @param status defaults to 200
 * @param isCacheable false for pages that bypass the cache, because a user may unpublish their content
 * at any moment
 * @param headers added to the default headers, or replacing them
 * @param entries paths of entries whose reviews the page shows, so that a removed review disappears at once
 */
export async function sendCatalogPage(
  request: FastifyRequest,
  reply: FastifyReply,
  view: View,
  {
    status = 200,
    isCacheable = true,
    headers = {},
    entries = [],
  }: {
    status?: number
    isCacheable?: boolean
    headers?: Record<string, string>
    entries?: string[]
  } = {},
): Promise<FastifyReply> {
  const cache = request.server.pageCache
  // Only signed-in users can change ratings in place.
  const scripts = request.page.viewer ? ['/assets/library.js'] : []
  const page = { full: true, ...view, scripts: [...new Set([...(view.scripts ?? []), ...scripts])] }
  const text = cache && isCacheable && status === 200 ? renderForRequest(request, page) : undefined
  if (!cache || text === undefined || !isSharedByGuests(request))
    return sendPage(request, reply, { status, headers: { ...HEADERS, ...headers }, ...page })
  await cache.cacheAndSend(request, reply, {
    text,
    headers: { ...GUEST_HEADERS, ...headers },
    generation: request.generation,
    entries,
  })
  return reply
}
