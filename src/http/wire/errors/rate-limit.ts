/** Length of a window in milliseconds (§8: requests a minute). */
export const WINDOW_MS = 60_000

/** What one request found: how many the window allows, what is left, and when the next window begins. */
export type RateLimitWindow = {
  limit: number
  /** 0 also when the request is over the limit. */
  remaining: number
  /** Milliseconds until the window ends. */
  resetMs: number
  exceeded: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the throttle; the answer's headers tell it. */
    throttleWindow: RateLimitWindow | null
  }
}

/** Whole seconds to the end of the window, at least 1: a client that waits as long is let through. */
export const resetSeconds = ({ resetMs }: RateLimitWindow) => Math.max(1, Math.ceil(resetMs / 1000))

/** The headers of every throttled answer: the names clients know, and draft-ietf-httpapi-ratelimit-headers. */
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

/** `throttleHeaders` in the form `writeHead` takes, without an object in between. */
export function pushThrottleHeaders(headers: string[], window: RateLimitWindow) {
  const headersOfWindow = throttleHeaders(window)
  for (const name in headersOfWindow) headers.push(name, headersOfWindow[name] ?? '')
}
