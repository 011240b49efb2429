import type { FastifyInstance, FastifyRequest, RouteOptions, onRequestHookHandler } from 'fastify'
import type { Caller } from './bearer.ts'

/** Access rule of a route. */
type Access =
  /** Everyone. */
  | 'public'
  /** Everyone, throttled by IP address. */
  | 'anonymous'
  /** Like `anonymous`, with a separate limit for pages. */
  | 'page'
  /** An application, or a user who granted it `catalog:*` (decision 0003). */
  | 'catalog'
  /** A user with the route's scope, for their own data (§4.3). */
  | 'user'
  /** A user with `developer:apps`, for their own apps (decision 0012). */
  | 'developer'
  /** An application or user with a token for the tools for agents (decision 0054). */
  | 'mcp'
  /** Enforced by the OpenID provider. */
  | 'protocol'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** Scope that a user-level token must have. */
    scope?: string
    /** Role that a page of the desk requires. Everyone else gets 404 for every method. */
    role?: 'MODERATOR' | 'ADMIN'
  }
  interface FastifyRequest {
    /** Set by the guard of a route that takes a token. */
    caller: Caller | null
  }
}

/** Guards, keyed by access rule. `public` and `protocol` have no guard. */
export type Guards = Record<Exclude<Access, 'public' | 'protocol'>, onRequestHookHandler>

/**
 * Denies by default: a route without an access rule prevents startup. Every other route runs the guard of its rule
 * before all other hooks.
 */
export function guardRoutes(app: FastifyInstance, guards: Guards) {
  app.decorateRequest('caller', null)
  app.decorateRequest('throttleWindow', null)
  app.addHook('onRoute', (route: RouteOptions) => {
    const access = route.config?.access
    if (!access)
      throw new Error(`${String(route.method)} ${route.url} has no access rule: set config.access`)
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
