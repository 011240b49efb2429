import type { FastifyRequest } from 'fastify'
import type { PageReader } from './page/site.ts'

/**
 * Who looks at a page that comes from outside of the scopes of `pages`, where no hook has asked yet.
 *
 * @returns undefined also when that cannot be found out: such a page says what it has to say to anybody
 */
export async function whoLooks(request: FastifyRequest): Promise<PageReader | undefined> {
  const { site } = request.server
  if (!site || request.headers.cookie === undefined) return undefined
  return site.readerOf(request).catch(() => undefined)
}
