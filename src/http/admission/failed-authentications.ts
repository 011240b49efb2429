import type { FastifyRequest } from 'fastify'
import { ApiError } from '../wire/errors/errors.ts'
import { rateLimited } from '../wire/errors/refusals.ts'
import type { RateLimitWindow } from '../wire/errors/rate-limit.ts'
import { addressKey, memoryThrottle, type Throttle } from './throttle.ts'

/** Counts an error of a guard. @returns what to refuse with: the error itself, or 429; or a promise of that */
export type FailedAuthentications = (request: FastifyRequest, error: unknown) => unknown

/**
 * One count of bad tokens for each address, over all guards. Whoever keeps sending them is refused with 429; a good token
 * is never refused for its neighbours.
 *
 * @param perMinute refusals with 401 that an address gets before
 */
export function failedAuthentications(
  perMinute: number,
  throttle: Throttle = memoryThrottle(),
): FailedAuthentications {
  return (request, error) => {
    if (!(error instanceof ApiError) || error.status !== 401) return error
    const settle = (window: RateLimitWindow) => {
      if (!window.exceeded) return error
      request.throttleWindow = window
      return rateLimited(window)
    }
    const window = throttle(addressKey(request.ip), perMinute)
    return window instanceof Promise ? window.then(settle) : settle(window)
  }
}
