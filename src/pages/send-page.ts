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
  const path = canBeAskedFor(request) ? request.url : undefined
  const frame = { language, messages, theme, origin, reader, site, path }
  return renderPage({ ...frame, ...page })
}

/** Whether a link to the same address leads anywhere: the links to other languages are such. */
function canBeAskedFor({ method, routeOptions, server }: FastifyRequest) {
  if (method === 'GET' || method === 'HEAD') return true
  return routeOptions.url !== undefined && server.hasRoute({ method: 'GET', url: routeOptions.url })
}
