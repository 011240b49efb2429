import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { PageViewer, Site } from '../../ui/page/site.ts'
import { findViewer } from '../../ui/find-viewer.ts'

/** Viewer and site frame of a page that the library renders. */
export type PageFrame = { viewer: PageViewer | undefined; site: Site | undefined }

/** Fastify requests, which know the viewer, keyed by the raw request that the library receives. */
const requests = new WeakMap<IncomingMessage, FastifyRequest>()

/** Associates a raw request with its Fastify request, so that the library's pages know their viewer. */
export const rememberRequest = (raw: IncomingMessage, request: FastifyRequest) =>
  requests.set(raw, request)

/** @returns undefined for requests without pages */
export async function pageFrameOf(raw: IncomingMessage): Promise<PageFrame | undefined> {
  const request = requests.get(raw)
  return request && { viewer: await findViewer(request), site: siteOf(raw) }
}

/** @returns undefined for requests without pages */
export const siteOf = (raw: IncomingMessage): Site | undefined => requests.get(raw)?.server.site
