/** Length of a window in milliseconds (§8: requests per minute). */
export const WINDOW_MS = 60_000

/** State of a rate-limit window after a request. */
export type RateLimitWindow = {
  limit: number
  /** Remaining requests in the window; 0 also when the request exceeds the limit. */
  remaining: number
  /** Milliseconds until the window ends. */
  resetMs: number
  exceeded: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the throttle and sent in the response headers. */
    throttleWindow: RateLimitWindow | null
  }
}

/** Returns whole seconds until the window ends, at least 1. A client that waits this long is admitted. */
export const resetSeconds = ({ resetMs }: RateLimitWindow) => Math.max(1, Math.ceil(resetMs / 1000))

/** Headers of every throttled response: the conventional ones, and those of draft-ietf-httpapi-ratelimit-headers. */
export function throttleHeaders(window: RateLimitWindow): Record<string, string> {
  const reset = String(resetSeconds(window))
  return {
    'x-ratelimit-limit': String(window.limit),
    'x-ratelimit-remaining': String(window.remaining),
    'x-ratelimit-reset': reset,
    ratelimit: `"default";r=${window.remaining};t=${reset}`,
    'ratelimit-policy': `"default";q=${window.limit};w=${WINDOW_MS / 1000}`,
  }
}

/** Appends `throttleHeaders` in the form that `writeHead` takes. */
export function pushThrottleHeaders(headers: string[], window: RateLimitWindow) {
  const headersOfWindow = throttleHeaders(window)
  for (const name in headersOfWindow) headers.push(name, headersOfWindow[name] ?? '')
}
