import type { FastifyInstance, HTTPMethods } from 'fastify'
import { ApiError } from './errors.ts'
import { sendError } from './handle-errors.ts'
import { PREFLIGHT_HEADERS } from './headers.ts'

const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']

/**
 * Answers what an API path is asked in another method than it has: `OPTIONS` with what a browser wants to know,
 * the rest with 405 and `Allow`. Call it before the routes.
 */
export function answerOtherMethods(app: FastifyInstance) {
  const known = new Map<string, Set<string>>()

  app.addHook('onRoute', ({ url, method, config }) => {
    if (!config?.access || config.access === 'public' || config.access === 'protocol') return
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

function methodNotAllowed(method: string, allow: string) {
  return new ApiError('COMMON_BAD_REQUEST', `${method} is not possible here; ${allow} are.`, {
    status: 405,
    headers: { allow },
  })
}
