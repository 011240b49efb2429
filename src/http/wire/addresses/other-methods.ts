import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import findMyWay from 'find-my-way'
import { sendError } from '../errors/handle-errors.ts'
import { PREFLIGHT_HEADERS } from '../errors/headers.ts'
import { overlappingPaths } from './overlapping-paths.ts'
import { methodNotAllowed } from '../errors/refusals.ts'

const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'OPTIONS']

/** As the router of the service takes them: longer parameters match no resource, yet get our own 404. */
export const MAX_PARAM_LENGTH = 16_384

export type OtherMethods = {
  /** Call it after the routes. */
  ready: () => void
  /** Answers a request that no route takes, if its path has one in another method. @returns true if it sent an answer */
  answer: (request: FastifyRequest, reply: FastifyReply) => boolean
}

/**
 * Answers requests to a path in a method it does not have: `OPTIONS` with what a browser's preflight needs, the rest
 * with 405 and `Allow`. Call it before the routes.
 *
 * @param answerOtherwise answers in another way. @returns whether it did
 */
export function answerOtherMethods(
  app: FastifyInstance,
  answerOtherwise: (
    request: FastifyRequest,
    reply: FastifyReply,
    headers: Record<string, string>,
  ) => boolean = () => false,
): OtherMethods {
  const known = new Map<string, Set<string>>()
  const paths = new Set<string>()

  app.addHook('onRoute', ({ url, method, config }) => {
    paths.add(url)
    if (
      !config?.access ||
      config.access === 'public' ||
      config.access === 'protocol' ||
      config.role
    )
      return
    const methods = known.get(url) ?? new Set()
    for (const name of [method].flat()) methods.add(name)
    known.set(url, methods)
  })

  const answerFor = (allow: string, request: FastifyRequest, reply: FastifyReply) => {
    if (request.method === 'OPTIONS')
      void reply
        .status(204)
        .headers({ ...PREFLIGHT_HEADERS, allow })
        .send()
    else if (!answerOtherwise(request, reply, { allow }))
      void sendError(methodNotAllowed(request.method, allow), request, reply)
  }

  // Beside the service's own: as routes of it, what paths have not were two in five of all that a start adds.
  const router = findMyWay({ maxParamLength: MAX_PARAM_LENGTH })
  return {
    ready() {
      const overlapping = overlappingPaths([...paths])
      for (const [url, methods] of known) {
        const allow = [...methods, 'OPTIONS'].join(', ')
        if (overlapping.has(url))
          // In a method it has not, the other path would be found.
          app.route({
            method: METHODS.filter((method) => !methods.has(method)),
            url,
            config: { access: 'public' },
            schema: { hide: true },
            // Before the body is read: what is wrong is the method.
            onRequest: (request, reply, _done) => answerFor(allow, request, reply),
            handler: (_request, reply) => reply,
          })
        else router.on('GET', url, () => {}, allow)
      }
    },
    answer(request, reply) {
      if (!METHODS.includes(request.method)) return false
      const found = router.find('GET', request.url)
      if (!found) return false
      // as: what was given to the router with the path
      answerFor(found.store as string, request, reply)
      return true
    },
  }
}

/**
 * Answers a preflight for an unknown API address, so that browser programs can read the 404.
 *
 * @returns whether it did
 */
export function answerUnknownPreflight(
  request: FastifyRequest,
  reply: FastifyReply,
  isOfApi: boolean,
): boolean {
  if (!isOfApi || request.method !== 'OPTIONS' || !request.headers['access-control-request-method'])
    return false
  void reply.status(204).headers(PREFLIGHT_HEADERS).send()
  return true
}
