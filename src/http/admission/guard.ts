import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import type { ApiError } from '../wire/errors/errors.ts'
import { insufficientScope, noUserToken, rateLimited } from '../wire/errors/refusals.ts'
import type { RateLimitWindow } from '../wire/errors/rate-limit.ts'
import { bearerToken, type Caller, type VerifyToken } from './bearer.ts'
import type { FailedAuthentications } from './failed-authentications.ts'
import type { Throttle } from './throttle.ts'

type RouteConfig = FastifyRequest['routeOptions']['config']

/** What all guards share. */
export type GuardServices = {
  verifyToken: VerifyToken
  throttle: Throttle
  failedAuthentications: FailedAuthentications
  /** Called with each request that is admitted, in memory and at once. */
  countRequest?: (clientId: string, route: RouteConfig, statusClass: 2) => void
}

/** What a guard lets through, and how often. */
export type GuardRules = {
  /** Whether an application token is not enough. */
  usersOnly: boolean
  /** Of routes whose `config.scope` names none. */
  defaultScope?: string
  /** Whose requests share a window. */
  keyOf: (caller: Caller) => string
  /** Requests a minute, unless the caller has its own number. */
  requestsPerMinute: number
  /** Whether the operator's number for the app replaces the above (§8). */
  followsOverride?: boolean
  usage?: { count(clientId: string, what: 'requests' | 'rate_limited'): void }
}

/**
 * Makes a guard: a good token (401), of a user where it must be (401), with the scope of the route (403), then the window
 * (429).
 *
 * It runs without a promise when the token is known and the window is in memory, as it is on nearly every request.
 */
export function guard(services: GuardServices, rules: GuardRules): onRequestHookHandler {
  const { verifyToken, throttle, failedAuthentications, countRequest } = services
  const { usersOnly, defaultScope, keyOf, requestsPerMinute, followsOverride, usage } = rules

  /** Why the caller is not admitted, if it is not. */
  function refusalFor(
    { scope = defaultScope, url }: RouteConfig,
    caller: Caller,
  ): Error | undefined {
    if (usersOnly && caller.kind !== 'user') return aboutApp(noUserToken(), caller)
    if (scope === undefined) return new Error(`${url} does not say what scope it needs`)
    return caller.scopes.has(scope) ? undefined : aboutApp(insufficientScope(scope), caller)
  }

  const limitFor = (caller: Caller) =>
    followsOverride ? (caller.requestsPerMinute ?? requestsPerMinute) : requestsPerMinute

  function settle(
    request: FastifyRequest,
    config: RouteConfig,
    { clientId }: Caller,
    window: RateLimitWindow,
  ) {
    request.throttleWindow = window
    countRequest?.(clientId, config, 2)
    usage?.count(clientId, 'requests')
    if (!window.exceeded) return undefined
    usage?.count(clientId, 'rate_limited')
    return rateLimited(window)
  }

  return (request, _reply, done) => {
    const refuse = (refusal: unknown) => done(asError(refusal))
    const fail = (reason: unknown) => {
      const refusal = failedAuthentications(request, reason)
      if (refusal instanceof Promise) refusal.then(refuse, refuse)
      else refuse(refusal)
    }
    const admit = (caller: Caller) => {
      const { config } = request.routeOptions
      const refusal = refusalFor(config, caller)
      if (refusal) return fail(refusal)
      request.caller = caller
      const window = throttle(keyOf(caller), limitFor(caller))
      if (window instanceof Promise)
        window.then((counted) => done(settle(request, config, caller, counted)), fail)
      else done(settle(request, config, caller, window))
    }
    let caller
    try {
      caller = verifyToken(bearerToken(request.headers.authorization))
    } catch (error) {
      return fail(error)
    }
    if (caller instanceof Promise) caller.then(admit, fail)
    else admit(caller)
  }
}

/** For the developer of the app: the caller is not set on a request that is not admitted. */
function aboutApp(refusal: ApiError, { clientId }: Caller): ApiError {
  refusal.about = { clientId }
  return refusal
}

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))
