import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { PageReader, Site } from '../../ui/page/site.ts'
import { whoLooks } from '../../ui/who-looks.ts'

/** Viewer and site frame of a page that the library renders. */
export type PageFrame = { reader: PageReader | undefined; site: Site | undefined }

/** The library only has the raw request. Our request knows the viewer. */
const requests = new WeakMap<IncomingMessage, FastifyRequest>()

/** Remembers the Fastify request behind the raw one that the library receives, so that its pages know their viewer. */
export const rememberRequest = (raw: IncomingMessage, request: FastifyRequest) =>
  requests.set(raw, request)

/** @returns undefined for requests without pages */
export async function pageFrameOf(raw: IncomingMessage): Promise<PageFrame | undefined> {
  const request = requests.get(raw)
  return request && { reader: await whoLooks(request), site: request.server.site }
}
