import type { FastifyReply, FastifyRequest } from 'fastify'
import { PAGE_HEADERS, renderPage, type PageOptions } from './page.ts'

export type PageContents = Pick<
  PageOptions,
  'title' | 'body' | 'wide' | 'full' | 'scripts' | 'styles' | 'head' | 'query' | 'ownSearch'
>

export type SentPage = PageContents & {
  /** 200 when missing. */
  status?: number
  /** In the place of those that every page has. */
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

/** The document, in the language and theme of the request, with the frame for whoever looks at it. */
export function renderForRequest(request: FastifyRequest, page: PageContents): string {
  const { language, messages, theme, origin, reader, site } = request.page
  const frame = { language, messages, theme, origin, reader, site, path: ownAddress(request) }
  return renderPage({ ...frame, ...page })
}

/** Path and query for the links to the page in other languages; undefined if its address answers no GET. */
export function ownAddress({
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
