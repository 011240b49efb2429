import type { FastifyReply, FastifyRequest } from 'fastify'
import { contentPolicy, PAGE_HEADERS, type View } from '../ui/page/page.ts'
import { renderForRequest, sendPage } from '../ui/page/send-page.ts'
import { isGuests, type KeptPages } from './kept-pages.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** In the scope of the catalog's pages. */
    keptPages?: KeptPages
  }
  interface FastifyRequest {
    /** Of the kept pages, when the answer to the request was begun. */
    generation: number
  }
}

/** The pictures of these pages come from us alone. */
const HEADERS = { ...PAGE_HEADERS, 'content-security-policy': contentPolicy("'self' data:") }

/** A guest's page is asked for again each time and mostly not sent; whoever signs in gets another at once. */
const OF_GUESTS = {
  ...HEADERS,
  'cache-control': 'private, no-cache',
  vary: 'Accept, Accept-Encoding, Accept-Language, Cookie',
}

/**
 * Sends a page of the catalog. What is a reader's is kept nowhere; what guests get is kept for a moment, and has an ETag.
 *
 * @param status 200 when missing
 * @param isKept false: made anew for each request, since a reader may withdraw what it shows at any moment
 * @param headers beside those of every page, or in their place
 */
export async function sendCatalogPage(
  request: FastifyRequest,
  reply: FastifyReply,
  view: View,
  {
    status = 200,
    isKept = true,
    headers = {},
  }: { status?: number; isKept?: boolean; headers?: Record<string, string> } = {},
): Promise<FastifyReply> {
  const kept = request.server.keptPages
  // Of a reader every card and line can be marked; guests have nothing to load it for.
  const scripts = request.page.reader ? ['/assets/library.js'] : []
  const page = { full: true, ...view, scripts: [...new Set([...(view.scripts ?? []), ...scripts])] }
  const text = kept && isKept && status === 200 ? renderForRequest(request, page) : undefined
  if (!kept || text === undefined || !isGuests(request))
    return sendPage(request, reply, { status, headers: { ...HEADERS, ...headers }, ...page })
  await kept.keepAndSend(request, reply, {
    text,
    headers: { ...OF_GUESTS, ...headers },
    generation: request.generation,
  })
  return reply
}
