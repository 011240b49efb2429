import type { FastifyRequest } from 'fastify'
import type { PageViewer } from './page/site.ts'

/**
 * Resolves the viewer of a page outside the scopes of `pages`, where no hook has resolved one.
 *
 * @returns undefined for guests, and if the lookup fails
 */
export async function findViewer(request: FastifyRequest): Promise<PageViewer | undefined> {
  const { site } = request.server
  if (!site || request.headers.cookie === undefined) return undefined
  return site.resolveViewer(request).catch(() => undefined)
}
