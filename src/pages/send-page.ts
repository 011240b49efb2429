import type { FastifyReply, FastifyRequest } from 'fastify'
import { PAGE_HEADERS, renderPage, type PageOptions } from './page.ts'

export type SentPage = Pick<PageOptions, 'title' | 'body' | 'wide' | 'scripts'> & {
  /** 200 when missing. */
  status?: number
}

/** Sends a page in the language of the request, with the headers every page has. */
export function sendPage(request: FastifyRequest, reply: FastifyReply, { status = 200, ...page }: SentPage) {
  const { language, messages } = request.page
  const path = canBeAskedFor(request) ? request.url : undefined
  return reply
    .status(status)
    .headers({ ...PAGE_HEADERS, 'x-request-id': request.id })
    .send(renderPage({ language, messages, path, ...page }))
}

/** Whether a link to the same address leads anywhere: the links to other languages are such. */
function canBeAskedFor({ method, routeOptions, server }: FastifyRequest) {
  if (method === 'GET' || method === 'HEAD') return true
  return routeOptions.url !== undefined && server.hasRoute({ method: 'GET', url: routeOptions.url })
}
