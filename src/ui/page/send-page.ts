import type { FastifyReply, FastifyRequest } from 'fastify'
import { announcementFor } from '../announcement.ts'
import { PAGE_HEADERS, renderPage, type PageOptions } from './page.ts'

export type PageContents = Pick<
  PageOptions,
  'title' | 'body' | 'wide' | 'full' | 'scripts' | 'styles' | 'head' | 'query' | 'hasOwnSearch'
>

export type SentPage = PageContents & {
  /** Defaults to 200. */
  status?: number
  /** Headers that replace those that every page has. */
  headers?: Record<string, string>
}

/** Sends a page in the language of the request, with the headers every page has. */
export function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { status = 200, headers = PAGE_HEADERS, ...page }: SentPage,
) {
  return reply
    .status(status)
    .headers({ ...headers, 'x-request-id': request.id })
    .send(renderForRequest(request, page))
}

/** Renders a page in the request's language and theme, with the frame for its viewer. */
export function renderForRequest(request: FastifyRequest, page: PageContents): string {
  const { language, messages, theme, titlePreference, origin, viewer, unread, site } = request.page
  const path = languageLinkPath(request)
  const announcement = announcementFor(site, request.headers.cookie)
  const frame = {
    language,
    messages,
    theme,
    titlePreference,
    origin,
    viewer,
    unread,
    site,
    path,
    announcement,
  }
  return renderPage({ ...frame, ...page })
}

/** Returns the path and query for links to other languages; undefined if the route does not respond to GET. */
export function languageLinkPath({
  method,
  url,
  routeOptions,
  server,
}: FastifyRequest): string | undefined {
  if (method === 'GET' || method === 'HEAD') return url
  const isPage =
    routeOptions.url !== undefined && server.hasRoute({ method: 'GET', url: routeOptions.url })
  return isPage ? url : undefined
}
