import { LRUCache } from 'lru-cache'
import { WINDOW_MS, type RateLimitWindow } from '../wire/rate-limit.ts'

/**
 * Counts a request of `key` against `limit` a window. The window starts at its first request (decision 0002).
 * Answers at once when it counts in memory.
 */
export type Throttle = (key: string, limit: number) => RateLimitWindow | Promise<RateLimitWindow>

/** What is counted, each by itself: requests behind a guard, those of the OpenID provider, forms, refused tokens, pictures. */
export const THROTTLE_SPACES = ['requests', 'protocol', 'forms', 'failures', 'pictures'] as const
export type ThrottleSpace = (typeof THROTTLE_SPACES)[number]

/** Makes the throttle of one space. */
export type OpenThrottle = (space: ThrottleSpace) => Throttle

type Count = { used: number; endsAt: number }

/** Counts in the memory of this process. Of more than `maxKeys` keys the one unused for longest is forgotten. */
export function memoryThrottle(maxKeys = 100_000, now: () => number = performance.now.bind(performance)) {
  // Bounded by size, which grows as needed: `max` would take the room for all keys at once.
  const counts = new LRUCache<string, Count>({ maxSize: maxKeys, sizeCalculation: () => 1 })
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

function rateLimitWindow(used: number, limit: number, resetMs: number): RateLimitWindow {
  return { limit, remaining: Math.max(0, limit - used), resetMs, exceeded: used > limit }
}

/** An address as a key; an IPv6 host commands a whole /64, so that is what is counted. */
export function addressKey(address: string) {
  if (!address.includes(':') || address.startsWith('::ffff:')) return `address:${address}`
  const [before = [], after = []] = address.split('::', 2).map((part) => part.split(':').filter(Boolean))
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  return `address:${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`
}
