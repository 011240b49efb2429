import type { ApiError } from './errors.ts'
import { toFieldError } from './fault.ts'

/**
 * The envelope around a successful answer (§2.1) in two halves, so that cached bytes of `data` go between them.
 * Ids are of `[A-Za-z0-9._-]` and need no escaping.
 */
export const ENVELOPE_START = '{"success":true,"data":'
export const envelopeEnd = (requestId: string) =>
  `,"request_id":"${requestId}","timestamp":"${isoTime(Date.now())}"}`

/**
 * The last time that was written: requests of one millisecond share the text, which costs as much as a route lookup.
 * The one mutable state of a module: it is invisible (the text follows from `ms` alone), and handing an object of its
 * owner to everything that sends an answer would cost the hot path a lookup for each.
 */
const written = { ms: 0, text: '' }

/** ISO 8601 UTC with milliseconds. */
function isoTime(ms: number) {
  if (written.ms !== ms) {
    written.ms = ms
    written.text = new Date(ms).toISOString()
  }
  return written.text
}

/** The envelope of a refusal (decision 0002): no `data`. */
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
