import { ipv6Network } from '../../kernel/networks.ts'
import type { RateLimitWindow } from '../wire/errors/rate-limit.ts'
import { Windows } from './leases/shared-counter.ts'

/**
 * Counts a request of `key` against `limit` per window. The window starts with its first request (decision 0002).
 * Returns without a promise if the count is in memory.
 */
export type Throttle = (key: string, limit: number) => RateLimitWindow | Promise<RateLimitWindow>

/** Independent groups of counts: guarded requests, OpenID provider requests, forms, refused tokens and pictures. */
export const THROTTLE_SPACES = ['requests', 'protocol', 'forms', 'failures', 'pictures'] as const
export type ThrottleSpace = (typeof THROTTLE_SPACES)[number]

/** Creates the throttle for one space. */
export type OpenThrottle = (space: ThrottleSpace) => Throttle

/** Creates a throttle that counts only in the memory of this process. */
export function memoryThrottle(...options: ConstructorParameters<typeof Windows>) {
  const windows = new Windows(...options)
  return (key: string, limit: number): RateLimitWindow => {
    const { granted, free, remainingMs } = windows.take(key, { needed: 1, spare: 0, limit })
    return { limit, remaining: free, resetMs: remainingMs, exceeded: granted === 0 }
  }
}

/**
 * Returns the throttle key of an IP address. The key of an IPv6 address is its /64, because one host controls all of
 * it.
 */
export function addressKey(address: string) {
  if (!address.includes(':') || address.startsWith('::ffff:')) return `address:${address}`
  return `address:${ipv6Network(address, 4)}`
}
