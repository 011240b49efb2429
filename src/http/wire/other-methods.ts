import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { sendError } from './handle-errors.ts'
import { PREFLIGHT_HEADERS } from './headers.ts'
import { methodNotAllowed } from './refusals.ts'

const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']

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
) {
  const known = new Map<string, Set<string>>()

  app.addHook('onRoute', ({ url, method, config }) => {
    if (!config?.access || config.access === 'public' || config.access === 'protocol' || config.role) return
    const methods = known.get(url) ?? new Set()
    for (const name of [method].flat()) methods.add(name)
    known.set(url, methods)
  })

  /** Call it after the routes. */
  return () => {
    for (const [url, methods] of known) {
      const allow = [...methods, 'OPTIONS'].join(', ')
      const config = { access: 'public' } as const
      const schema = { hide: true }
      app.route({
        method: METHODS.filter((method) => !methods.has(method)),
        url,
        config,
        schema,
        // Before the body is read: what is wrong is the method.
        onRequest: (request, reply, _done) => {
          if (!answerOtherwise(request, reply, { allow }))
            void sendError(methodNotAllowed(request.method, allow), request, reply)
        },
        handler: (_request, reply) => reply,
      })
      app.options(url, { config, schema }, (_request, reply) =>
        reply
          .status(204)
          .headers({ ...PREFLIGHT_HEADERS, allow })
          .send(),
      )
    }
  }
}
