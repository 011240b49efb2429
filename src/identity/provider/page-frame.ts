import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { PageReader, Site } from '../../ui/page/site.ts'
import { whoLooks } from '../../ui/who-looks.ts'

/** Who looks at a page that the library shows in its own course, and the frame around it. */
export type PageFrame = { reader: PageReader | undefined; site: Site | undefined }

/** The library has the request of Node alone; who signed in is asked of ours. */
const requests = new WeakMap<IncomingMessage, FastifyRequest>()

/** Remembers the Fastify request behind the raw one that the library receives, so that its pages know their viewer. */
export const rememberRequest = (raw: IncomingMessage, request: FastifyRequest) =>
  requests.set(raw, request)

/** @returns undefined of a request that has no pages */
export async function pageFrameOf(raw: IncomingMessage): Promise<PageFrame | undefined> {
  const request = requests.get(raw)
  return request && { reader: await whoLooks(request), site: request.server.site }
}
