import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import findMyWay from 'find-my-way'
import { sendError } from '../errors/handle-errors.ts'
import { PREFLIGHT_HEADERS } from '../errors/headers.ts'
import { overlappingPaths } from './overlapping-paths.ts'
import { methodNotAllowed } from '../errors/refusals.ts'

const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'OPTIONS']

/**
 * Maximum length of a path parameter. Longer ones match no resource, but their 404 is still sent by this service's own
 * handler.
 */
export const MAX_PARAM_LENGTH = 16_384

export type OtherMethods = {
  /** Must be called after the routes are registered. */
  ready: () => void
  /**
   * Responds to an unrouted request if its path supports another method.
   *
   * @returns true if it responded
   */
  respond: (request: FastifyRequest, reply: FastifyReply) => boolean
}

/**
 * Responds to methods that a path does not support: to `OPTIONS` as to a preflight, and to the rest with 405 and
 * `Allow`. Call it before registering routes.
 *
 * @param respondOtherwise may send a different response, and returns true if it did
 */
export function handleUnsupportedMethods(
  app: FastifyInstance,
  respondOtherwise: (
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

  const respondFor = (allow: string, request: FastifyRequest, reply: FastifyReply) => {
    if (request.method === 'OPTIONS')
      void reply
        .status(204)
        .headers({ ...PREFLIGHT_HEADERS, allow })
        .send()
    else if (!respondOtherwise(request, reply, { allow }))
      void sendError(methodNotAllowed(request.method, allow), request, reply)
  }

  // A separate router. Registering unsupported methods as routes took 40 % of the time for registering all routes.
  const router = findMyWay({ maxParamLength: MAX_PARAM_LENGTH })
  return {
    ready() {
      const overlapping = overlappingPaths([...paths])
      for (const [url, methods] of known) {
        const allow = [...methods, 'OPTIONS'].join(', ')
        if (overlapping.has(url))
          // For an unsupported method, the router would find the overlapping path instead.
          app.route({
            method: METHODS.filter((method) => !methods.has(method)),
            url,
            config: { access: 'public' },
            schema: { hide: true },
            // Responds before the body is read.
            onRequest: (request, reply, _done) => respondFor(allow, request, reply),
            handler: (_request, reply) => reply,
          })
        else router.on('GET', url, () => {}, allow)
      }
    },
    respond(request, reply) {
      if (!METHODS.includes(request.method)) return false
      const found = router.find('GET', request.url)
      if (!found) return false
      // as: the value was registered with the path
      respondFor(found.store as string, request, reply)
      return true
    },
  }
}

/**
 * Responds to a preflight for an unknown API path, so that scripts in browsers can read the 404.
 *
 * @returns true if it did
 */
export function handleUnknownPreflight(
  request: FastifyRequest,
  reply: FastifyReply,
  isOfApi: boolean,
): boolean {
  if (!isOfApi || request.method !== 'OPTIONS' || !request.headers['access-control-request-method'])
    return false
  void reply.status(204).headers(PREFLIGHT_HEADERS).send()
  return true
}
