import type { FastifyInstance, FastifyRequest, RouteOptions, onRequestHookHandler } from 'fastify'
import type { Caller } from './bearer.ts'

/**
 * Who may call a route:
 * `public`: anybody · `anonymous`: anybody, counted by address · `page`: likewise, for what people look at · `catalog`: an application, or a user who granted it `catalog:*` (decision 0003) ·
 * `user`: a user with the scope the route names, for what is theirs (§4.3) ·
 * `developer`: a user with `developer:apps`, for their own apps (decision 0012) ·
 * `protocol`: whom the OpenID provider admits, which sees to it itself.
 */
type Access = 'public' | 'anonymous' | 'page' | 'catalog' | 'user' | 'developer' | 'protocol'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** The scope a user-level token must have. */
    scope?: string
    /** Of a page of the desk: whom it is for. To everybody else it is not there, in no method. */
    role?: 'MODERATOR' | 'ADMIN'
  }
  interface FastifyRequest {
    /** Set by the guard of a route that takes a token. */
    caller: Caller | null
  }
}

/** The guards, by what they let through. `public` and `protocol` have none. */
export type Guards = Record<Exclude<Access, 'public' | 'protocol'>, onRequestHookHandler>

/**
 * Deny by default: a route that does not say who may call it stops the start of the program, and one that does gets
 * the guard it names before anything else runs.
 */
export function guardRoutes(app: FastifyInstance, guards: Guards) {
  app.decorateRequest('caller', null)
  app.decorateRequest('throttleWindow', null)
  app.addHook('onRoute', (route: RouteOptions) => {
    const access = route.config?.access
    if (!access)
      throw new Error(
        `${String(route.method)} ${route.url} does not say who may call it: set config.access`,
      )
    if (access === 'public' || access === 'protocol') return
    route.onRequest = [guards[access], ...[route.onRequest ?? []].flat()]
  })
}

/** The caller of a guarded route. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller)
    throw new Error(`${request.routeOptions.url} asked for its caller and has no guard`)
  return request.caller
}
