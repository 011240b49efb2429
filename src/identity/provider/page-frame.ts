import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { PageViewer, Site } from '../../ui/page/site.ts'
import { findViewer } from '../../ui/find-viewer.ts'

/** Viewer and site frame of a page that the library renders. */
export type PageFrame = { viewer: PageViewer | undefined; site: Site | undefined }

/** The library only has the raw request. Our request knows the viewer. */
const requests = new WeakMap<IncomingMessage, FastifyRequest>()

/** Remembers the Fastify request behind the raw one that the library receives, so that its pages know their viewer. */
export const rememberRequest = (raw: IncomingMessage, request: FastifyRequest) =>
  requests.set(raw, request)

/** @returns undefined for requests without pages */
export async function pageFrameOf(raw: IncomingMessage): Promise<PageFrame | undefined> {
  const request = requests.get(raw)
  return request && { viewer: await findViewer(request), site: request.server.site }
}
