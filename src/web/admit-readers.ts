import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { PageReader } from '../pages/site.ts'
import { keepWayBack } from '../pages/way-back.ts'

/**
 * Redirects anonymous requests of this scope to the sign-in before their body is read, and from there back.
 *
 * @param start where the sign-in leads after a form, which is not sent again
 * @returns whose request it is
 */
export function admitReaders(app: FastifyInstance, start: string): (request: FastifyRequest) => number {
  const readers = new WeakMap<FastifyRequest, PageReader>()
  app.addHook('onRequest', async (request, reply) => {
    const { reader } = request.page
    if (reader) {
      readers.set(request, reader)
      return undefined
    }
    keepWayBack(reply, request.method === 'GET' ? request.url : start)
    return reply.header('cache-control', 'no-store').redirect('/sign-in', 303)
  })
  return (request) => {
    const reader = readers.get(request)
    if (!reader) throw new Error(`${request.url} asked for its reader and has no guard`)
    return reader.accountId
  }
}
