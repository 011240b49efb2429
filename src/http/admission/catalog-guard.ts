import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { bearerToken, insufficientScope, type Caller, type VerifyToken } from './bearer.ts'
import { ApiError } from '../wire/errors.ts'
import { addressKey, memoryThrottle, rateLimited, type Throttle, type RateLimitWindow } from './throttle.ts'

export type GuardOptions = {
  verifyToken: VerifyToken
  throttle: Throttle
  /** Requests a minute for an application without an override (§8). */
  requestsPerMinute: number
  failedAuthenticationsPerMinute: number
  usage: { count(clientId: string, what: 'requests' | 'rate_limited'): void }
}

/**
 * The guard of the catalog: a token with `catalog:read`, or the scope that the route's `config.scope` names (401, 403),
 * then the application's window (429).
 *
 * It runs without a promise when the token is known and the window is in memory, as it is on nearly every request.
 */
export function catalogGuard(options: GuardOptions): onRequestHookHandler {
  const { verifyToken, throttle, requestsPerMinute, failedAuthenticationsPerMinute, usage } = options
  const failures = memoryThrottle()

  /** Whoever keeps sending bad tokens is told to stop; a good token is never refused for its neighbours. */
  function refusal(request: FastifyRequest, error: unknown) {
    if (!(error instanceof ApiError) || error.status !== 401) return error
    const window = failures(addressKey(request.ip), failedAuthenticationsPerMinute)
    if (!window.exceeded) return error
    request.throttleWindow = window
    return rateLimited(window)
  }

  function settle(request: FastifyRequest, { clientId }: Caller, window: RateLimitWindow) {
    request.throttleWindow = window
    usage.count(clientId, 'requests')
    if (!window.exceeded) return undefined
    usage.count(clientId, 'rate_limited')
    return rateLimited(window)
  }

  return (request, _reply, done) => {
    const fail = (error: unknown) => done(asError(refusal(request, error)))
    const admit = (caller: Caller) => {
      const { scope = 'catalog:read' } = request.routeOptions.config
      if (!caller.scopes.has(scope)) return fail(insufficientScope(scope))
      request.caller = caller
      const window = throttle(`catalog:${caller.clientId}`, caller.requestsPerMinute ?? requestsPerMinute)
      if (window instanceof Promise) window.then((counted) => done(settle(request, caller, counted)), fail)
      else done(settle(request, caller, window))
    }
    try {
      const caller = verifyToken(bearerToken(request.headers.authorization))
      if (caller instanceof Promise) caller.then(admit, fail)
      else admit(caller)
    } catch (error) {
      fail(error)
    }
  }
}

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))
