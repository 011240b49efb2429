import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { bearerToken, insufficientScope, unauthenticated, type Caller, type VerifyToken } from './bearer.ts'
import { ApiError } from '../wire/errors.ts'
import { addressKey, memoryThrottle, rateLimited, type Throttle } from './throttle.ts'

export type UserGuardOptions = {
  verifyToken: VerifyToken
  throttle: Throttle
  failedAuthenticationsPerMinute: number
  /** What is counted together. */
  keyOf: (caller: Caller) => string
  requestsPerMinute: number
}

/**
 * The guard of what users do: a user-level token (401) with the scope that the route's `config.scope` names (403), then
 * the window (429). Whose account it is the token alone says (§1).
 */
export function userGuard(options: UserGuardOptions): onRequestHookHandler {
  const { verifyToken, throttle, failedAuthenticationsPerMinute, keyOf, requestsPerMinute } = options
  const failures = memoryThrottle()

  async function admit(request: FastifyRequest) {
    const caller = await verifyToken(bearerToken(request.headers.authorization))
    if (caller.kind !== 'user')
      throw unauthenticated('This needs a token of a user (§5.2), and that is an application token.')
    const { scope } = request.routeOptions.config
    if (scope === undefined) throw new Error(`${request.routeOptions.url} does not say what scope it needs`)
    if (!caller.scopes.has(scope)) throw insufficientScope(scope)
    request.caller = caller
    const window = await throttle(keyOf(caller), requestsPerMinute)
    request.throttleWindow = window
    if (window.exceeded) throw rateLimited(window)
  }

  /** Whoever keeps sending bad tokens is told to stop. */
  function refusal(request: FastifyRequest, error: unknown) {
    if (!(error instanceof ApiError) || error.status !== 401) return error
    const window = failures(addressKey(request.ip), failedAuthenticationsPerMinute)
    if (!window.exceeded) return error
    request.throttleWindow = window
    return rateLimited(window)
  }

  return async function guardUser(request) {
    try {
      await admit(request)
    } catch (error) {
      throw refusal(request, error)
    }
  }
}

/** The account of a user-level token. */
export function accountOf({ caller, routeOptions }: FastifyRequest): number {
  if (caller?.accountId === undefined)
    throw new Error(`${routeOptions.url} asked for its user and has no guard`)
  return Number(caller.accountId)
}
