import type { FastifyInstance, FastifyRequest, RouteOptions, onRequestHookHandler } from 'fastify'
import type { Caller } from './bearer.ts'

/**
 * Access rule of a route: `public`: everyone · `anonymous`: everyone, throttled by IP address · `page`: the same with
 * a separate limit, for pages · `catalog`: an application, or a user who granted it `catalog:*` (decision 0003) ·
 * `user`: a user with the route's scope, for their own data (§4.3) · `developer`: a user with `developer:apps`, for
 * their own apps (decision 0012) · `protocol`: enforced by the OpenID provider itself.
 */
type Access = 'public' | 'anonymous' | 'page' | 'catalog' | 'user' | 'developer' | 'protocol'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** Scope that a user-level token must have. */
    scope?: string
    /** Role that a page of the desk requires. For everyone else the page does not exist, in any method. */
    role?: 'MODERATOR' | 'ADMIN'
  }
  interface FastifyRequest {
    /** Set by the guard of a route that takes a token. */
    caller: Caller | null
  }
}

/** Guards by access rule. `public` and `protocol` have no guard. */
export type Guards = Record<Exclude<Access, 'public' | 'protocol'>, onRequestHookHandler>

/**
 * Denies by default: a route without an access rule prevents startup. Any other route runs the guard of its rule
 * before all other hooks.
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

/** Returns the caller of a guarded route. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller)
    throw new Error(`${request.routeOptions.url} reads its caller but has no guard`)
  return request.caller
}
