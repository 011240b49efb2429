import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { PageReader, Site } from '../../pages/site.ts'
import { whoLooks } from '../../pages/who-looks.ts'

/** Who looks at a page that the library shows in its own course, and the frame around it. */
export type PageFrame = { reader: PageReader | undefined; site: Site | undefined }

/** The library has the request of Node alone; who signed in is asked of ours. */
const requests = new WeakMap<IncomingMessage, FastifyRequest>()

/** Has the pages that the library shows in this request be for whoever sent it. */
export const keepRequest = (request: FastifyRequest) => requests.set(request.raw, request)

/** @returns undefined of a request that has no pages */
export async function frameOf(raw: IncomingMessage): Promise<PageFrame | undefined> {
  const request = requests.get(raw)
  return request && { reader: await whoLooks(request), site: request.server.site }
}
