import type { FastifyRequest } from 'fastify'
import { ApiError } from '../wire/errors/errors.ts'
import { rateLimited } from '../wire/errors/refusals.ts'
import type { RateLimitWindow } from '../wire/errors/rate-limit.ts'
import { addressKey, memoryThrottle, type Throttle } from './throttle.ts'

/**
 * Counts an error thrown by a guard.
 *
 * @returns the error to send, or a promise for it: the same error, or 429
 */
export type FailedAuthentications = (request: FastifyRequest, error: unknown) => unknown

/**
 * Counts bad tokens per IP address across all guards, and refuses further bad tokens with 429. Valid tokens from the
 * same address are still admitted.
 *
 * @param perMinute 401 responses per address before the first 429
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
