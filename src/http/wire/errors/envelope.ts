import type { ApiError } from './errors.ts'
import { toFieldError } from './fault.ts'

/**
 * The success envelope (§2.1) in two halves, with cached bytes of `data` in between. Request ids consist of
 * `[A-Za-z0-9._-]` and need no escaping.
 */
export const ENVELOPE_PREFIX = '{"success":true,"data":'
export const envelopeEnd = (requestId: string) =>
  `,"request_id":"${requestId}","timestamp":"${isoTime(Date.now())}"}`

/**
 * Last formatted time. Formatting takes as long as a route lookup, so requests in the same millisecond share the
 * string. This mutable module state cannot be observed, because the string depends only on `ms`. Passing an owner
 * object to everything that sends responses would slow down the hot path.
 */
const written = { ms: 0, text: '' }

/** Formats a time as ISO 8601 UTC with milliseconds. */
function isoTime(ms: number) {
  if (written.ms !== ms) {
    written.ms = ms
    written.text = new Date(ms).toISOString()
  }
  return written.text
}

/** Returns the error envelope (decision 0002), which has no `data`. */
export function failureEnvelope(error: ApiError, requestId: string) {
  return {
    success: false,
    error: {
      code: error.code,
      message: error.message,
      ...(error.faults && { field_errors: error.faults.map(toFieldError) }),
      ...(error.details && { details: error.details }),
      ...(error.retryable !== undefined && { retryable: error.retryable }),
    },
    request_id: requestId,
    timestamp: new Date().toISOString(),
  }
}
