import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import type { ApiError } from '../wire/errors/errors.ts'
import {
  insufficientScope,
  noUserToken,
  rateLimited,
  unauthenticated,
} from '../wire/errors/refusals.ts'
import type { RateLimitWindow } from '../wire/errors/rate-limit.ts'
import { bearerToken, type Caller, type VerifyToken } from './bearer.ts'
import type { FailedAuthentications } from './failed-authentications.ts'
import { anonymousKey } from './anonymous-guard.ts'
import type { Throttle } from './throttle.ts'

type RouteConfig = FastifyRequest['routeOptions']['config']

/** Services that all guards share. */
export type GuardServices = {
  verifyToken: VerifyToken
  throttle: Throttle
  failedAuthentications: FailedAuthentications
  /** Called synchronously for each admitted request. */
  countRequest?: (clientId: string, route: RouteConfig, statusClass: 2) => void
}

/** Admission rules of a guard. */
export type GuardRules = {
  /** Whether application tokens are refused. */
  usersOnly: boolean
  /** Scope of routes without `config.scope`; null admits any scope. */
  defaultScope?: string | null
  /** Returns the key of the caller's window. */
  keyOf: (caller: Caller) => string
  /** Default limit. */
  requestsPerMinute: number
  /** Whether the operator's limit for the app overrides the default (§8). */
  followsOverride?: boolean
  usage?: { count(clientId: string, what: 'requests' | 'rate_limited'): void }
  /**
   * Requests per minute and IP address without a token, which have the default scope (`ANONYMOUS_CATALOG`). Undefined
   * if every request needs a token.
   */
  anonymousRequestsPerMinute?: number | undefined
}

/** Caller of requests without a token, with the default scope. */
const anonymousCaller = (scope: string): Caller => ({
  kind: 'anonymous',
  clientId: '',
  accountId: undefined,
  scopes: new Set([scope]),
  requestsPerMinute: undefined,
})

/**
 * Creates a guard. It checks in order: a valid token (401), a user if required (401), the route's scope (403) and the
 * window (429). If the token is known and the window is in memory, which is nearly always the case, the guard runs
 * without promises.
 */
export function guard(services: GuardServices, rules: GuardRules): onRequestHookHandler {
  const { verifyToken, throttle, failedAuthentications, countRequest } = services
  const { usersOnly, defaultScope, keyOf, requestsPerMinute, followsOverride, usage } = rules
  const { anonymousRequestsPerMinute } = rules
  const anonymous =
    anonymousRequestsPerMinute !== undefined && typeof defaultScope === 'string'
      ? anonymousCaller(defaultScope)
      : undefined

  /** Returns the reason for refusing the caller, if any. */
  function refusalFor({ scope: own, url }: RouteConfig, caller: Caller): Error | undefined {
    const scope = own ?? defaultScope
    if (usersOnly && caller.kind !== 'user') return aboutApp(noUserToken(), caller)
    if (scope === undefined) return new Error(`${url} has no scope: set config.scope`)
    if (scope === null || caller.scopes.has(scope)) return undefined
    return caller === anonymous ? unauthenticated() : aboutApp(insufficientScope(scope), caller)
  }

  const limitFor = (caller: Caller) =>
    followsOverride ? (caller.requestsPerMinute ?? requestsPerMinute) : requestsPerMinute

  const windowOf = (request: FastifyRequest, caller: Caller) =>
    caller === anonymous
      ? throttle(anonymousKey('anonymous', request.ip), anonymousRequestsPerMinute ?? 0)
      : throttle(keyOf(caller), limitFor(caller))

  function settle(
    request: FastifyRequest,
    config: RouteConfig,
    caller: Caller,
    window: RateLimitWindow,
  ) {
    request.throttleWindow = window
    if (caller === anonymous) return window.exceeded ? rateLimited(window) : undefined
    const { clientId } = caller
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
      const window = windowOf(request, caller)
      if (window instanceof Promise)
        window.then((counted) => done(settle(request, config, caller, counted)), fail)
      else done(settle(request, config, caller, window))
    }
    const { authorization } = request.headers
    if (anonymous && authorization === undefined) return admit(anonymous)
    let caller
    try {
      caller = verifyToken(bearerToken(authorization))
    } catch (error) {
      return fail(error)
    }
    if (caller instanceof Promise) caller.then(admit, fail)
    else admit(caller)
  }
}

/** Attaches the app for its developer, because a refused request has no caller. */
function aboutApp(refusal: ApiError, { clientId }: Caller): ApiError {
  refusal.about = { clientId }
  return refusal
}

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))
