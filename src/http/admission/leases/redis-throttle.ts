import { Leases } from './leases.ts'
import { redisWindows, WINDOW_SCRIPTS } from './redis-windows.ts'
import { memoryThrottle, type Throttle } from '../throttle.ts'

/**
 * Timeout of a Redis command, in milliseconds. Longer than a healthy command takes, but short enough not to delay
 * requests noticeably.
 */
const TIMEOUT_MS = 300
/**
 * Time, in milliseconds, for which Redis is skipped after a failure. A hanging Redis then does not slow every request.
 */
const PAUSE_MS = 1_000

type Log = { warn(text: string): void; info(text: string): void }

/**
 * Creates a throttle that counts in Redis, with leases for busy keys (decision 0008). All processes with the same URL
 * share the counts. While Redis is unavailable, `countLocally` counts the requests, and the log reports the outage
 * once.
 *
 * @param countLocally also counts every other request, so that a Redis failure does not give everyone a fresh window
 * @returns a promise that resolves once Redis has connected or the attempt has failed
 */
export async function redisThrottle(
  url: string,
  log: Log,
  countLocally: Throttle = memoryThrottle(),
  timeoutMs = TIMEOUT_MS,
): Promise<{ throttle: Throttle; isThere: () => boolean; close(): Promise<void> }> {
  // Loaded only if Redis is configured.
  const { Redis } = (await import('ioredis')).default
  const redis = new Redis(url, {
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: timeoutMs,
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
    scripts: WINDOW_SCRIPTS,
  })
  let isUnavailable = false
  let pausedUntil = 0

  function lost(error: unknown) {
    pausedUntil = performance.now() + PAUSE_MS
    if (isUnavailable) return
    isUnavailable = true
    const why = error instanceof Error ? error.message || error.name : String(error)
    log.warn(`Redis is unavailable (${why}): counting requests in this process until it is back`)
  }

  function found() {
    if (isUnavailable) log.info('Redis is back: counting requests there again')
    isUnavailable = false
  }

  redis.on('error', lost)
  redis.on('close', () => lost(new Error('connection closed')))

  const windows = redisWindows(redis)
  const leases = new Leases({
    async take(key, slots) {
      try {
        const grant = await windows.take(key, slots)
        found()
        return grant
      } catch (error) {
        lost(error)
        throw error
      }
    },
    returnSlots: windows.returnSlots,
  })
  const returnAll = leases.returnIdle()

  const throttle: Throttle = (key, limit) => {
    const here = countLocally(key, limit)
    if (redis.status !== 'ready' || (isUnavailable && performance.now() < pausedUntil)) return here
    const counted = leases.count(key, limit)
    return counted instanceof Promise ? counted.catch(() => here) : counted
  }

  await new Promise<void>((resolve) => {
    redis.once('ready', resolve)
    redis.once('error', () => resolve())
  })
  return {
    throttle,
    isThere: () => !isUnavailable,
    async close() {
      await returnAll()
      redis.removeAllListeners('close')
      redis.disconnect()
    },
  }
}
