import type { FastifyReply, FastifyRequest } from 'fastify'
import { PAGE_HEADERS, renderPage, type PageOptions } from './page.ts'

export type SentPage = Pick<PageOptions, 'title' | 'body' | 'wide' | 'full' | 'scripts' | 'head' | 'query'> & {
  /** 200 when missing. */
  status?: number
}

/** Sends a page in the language of the request, with the headers every page has. */
export function sendPage(request: FastifyRequest, reply: FastifyReply, { status = 200, ...page }: SentPage) {
  const { language, messages, theme, origin, reader, site } = request.page
  const path = canBeAskedFor(request) ? request.url : undefined
  return reply
    .status(status)
    .headers({ ...PAGE_HEADERS, 'x-request-id': request.id })
    .send(
      renderPage({ language, messages, theme, origin, reader, site, path, hasLibrary: hasLibrary(request), ...page }),
    )
}

/** Whether a link to the same address leads anywhere: the links to other languages are such. */
function canBeAskedFor({ method, routeOptions, server }: FastifyRequest) {
  if (method === 'GET' || method === 'HEAD') return true
  return routeOptions.url !== undefined && server.hasRoute({ method: 'GET', url: routeOptions.url })
}

/** Whether this service has pages of a reader's list to link to. */
export const hasLibrary = ({ server }: FastifyRequest) => server.hasRoute({ method: 'GET', url: '/library' })
