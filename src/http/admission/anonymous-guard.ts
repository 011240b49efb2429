import type { onRequestHookHandler } from 'fastify'
import type { RateLimitWindow } from '../wire/errors/rate-limit.ts'
import { rateLimited } from '../wire/errors/refusals.ts'
import { addressKey, type Throttle } from './throttle.ts'

type Counted = 'anonymous' | 'page'

/** Returns the throttle key of requests from an address. */
export const anonymousKey = (counted: Counted, address: string) =>
  `${counted}:${addressKey(address)}`

/**
 * Creates a guard for routes without tokens, with one window per client address. Tokens are ignored.
 *
 * @param counted separates the counts of several such guards
 */
export const anonymousGuard =
  (
    { throttle }: { throttle: Throttle },
    requestsPerMinute: number,
    counted: Counted = 'anonymous',
  ): onRequestHookHandler =>
  (request, _reply, done) => {
    const settle = (window: RateLimitWindow) => {
      request.throttleWindow = window
      done(window.exceeded ? rateLimited(window) : undefined)
    }
    const window = throttle(anonymousKey(counted, request.ip), requestsPerMinute)
    if (window instanceof Promise) window.then(settle, done)
    else settle(window)
  }
