import type { onRequestHookHandler } from 'fastify'
import type { RateLimitWindow } from '../wire/errors/rate-limit.ts'
import { rateLimited } from '../wire/errors/refusals.ts'
import { addressKey, type Throttle } from './throttle.ts'

/**
 * The guard of what takes no token: a window for each client address. A token that is sent anyway is not looked at.
 *
 * @param counted what is counted, apart from what other guards of this kind count
 */
export const anonymousGuard =
  (
    { throttle }: { throttle: Throttle },
    requestsPerMinute: number,
    counted: 'anonymous' | 'page' = 'anonymous',
  ): onRequestHookHandler =>
  (request, _reply, done) => {
    const settle = (window: RateLimitWindow) => {
      request.throttleWindow = window
      done(window.exceeded ? rateLimited(window) : undefined)
    }
    const window = throttle(`${counted}:${addressKey(request.ip)}`, requestsPerMinute)
    if (window instanceof Promise) window.then(settle, done)
    else settle(window)
  }
