import type { FastifyRequest } from 'fastify'
import { ApiError } from '../wire/errors.ts'
import { rateLimited } from '../wire/refusals.ts'
import { addressKey, memoryThrottle } from './throttle.ts'

/** Counts an error of a guard. @returns what to refuse with: the error itself, or 429 */
export type FailedAuthentications = (request: FastifyRequest, error: unknown) => unknown

/**
 * One count of bad tokens for each address, over all guards. Whoever keeps sending them is refused with 429; a good token
 * is never refused for its neighbours.
 *
 * @param perMinute refusals with 401 that an address gets before
 */
export function failedAuthentications(perMinute: number): FailedAuthentications {
  const throttle = memoryThrottle()
  return (request, error) => {
    if (!(error instanceof ApiError) || error.status !== 401) return error
    const window = throttle(addressKey(request.ip), perMinute)
    if (!window.exceeded) return error
    request.throttleWindow = window
    return rateLimited(window)
  }
}
