import { LRUCache } from 'lru-cache'
import { ApiError } from '../wire/errors.ts'

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

/**
 * Counts a request of `key` against `limit` a window. The window starts at its first request (decision 0002).
 * Answers at once when it counts in memory.
 */
export type Throttle = (key: string, limit: number) => RateLimitWindow | Promise<RateLimitWindow>

type Count = { used: number; endsAt: number }

/** Counts in the memory of this process. Of more than `maxKeys` keys the one unused for longest is forgotten. */
export function memoryThrottle(maxKeys = 100_000, now: () => number = performance.now.bind(performance)) {
  const counts = new LRUCache<string, Count>({ max: maxKeys })
  return (key: string, limit: number): RateLimitWindow => {
    const time = now()
    let count = counts.get(key)
    if (!count || count.endsAt <= time) {
      count = { used: 0, endsAt: time + WINDOW_MS }
      counts.set(key, count)
    }
    count.used += 1
    // The sum of two fractions may be a hair above the minute it is.
    return rateLimitWindow(count.used, limit, Math.min(WINDOW_MS, count.endsAt - time))
  }
}

export function rateLimitWindow(used: number, limit: number, resetMs: number): RateLimitWindow {
  return { limit, remaining: Math.max(0, limit - used), resetMs, exceeded: used > limit }
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

export function rateLimited(window: RateLimitWindow) {
  const seconds = resetSeconds(window)
  return new ApiError(
    'COMMON_RATE_LIMITED',
    `More than ${window.limit} requests in a minute. Wait ${seconds} seconds.`,
    { retryable: true, headers: { 'retry-after': String(seconds) } },
  )
}

/** An address as a key; an IPv6 host commands a whole /64, so that is what is counted. */
export function addressKey(address: string) {
  if (!address.includes(':') || address.startsWith('::ffff:')) return `address:${address}`
  const [head = '', tail = ''] = address.split('::', 2)
  const groups = head.split(':').filter(Boolean)
  const missing = 8 - groups.length - tail.split(':').filter(Boolean).length
  const full = address.includes('::') ? [...groups, ...Array<string>(Math.max(0, missing)).fill('0')] : groups
  return `address:${full.slice(0, 4).join(':')}::/64`
}
