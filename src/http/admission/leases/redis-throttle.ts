import { Leases } from './leases.ts'
import { redisWindows, WINDOW_SCRIPTS } from './redis-windows.ts'
import { memoryThrottle, type Throttle } from '../throttle.ts'

/** Of an answer of Redis: longer than any healthy one takes, shorter than a reader's patience. */
const TIMEOUT_MS = 300
/** After a failure Redis is left alone for so long, so that one that hangs does not slow every request. */
const PAUSE_MS = 1_000

type Log = { warn(text: string): void; info(text: string): void }

/**
 * Counts in Redis, shared by every process that names the same one; busy keys by leases (decision 0008). While Redis is
 * away the requests are served and counted by `countHere`, and the log says so once.
 *
 * @param countHere counts every request too, so that a failing Redis does not give everyone a fresh window
 * @returns when Redis has answered, or has not within its time limit
 */
export async function redisThrottle(
  url: string,
  log: Log,
  countHere: Throttle = memoryThrottle(),
  timeoutMs = TIMEOUT_MS,
): Promise<{ throttle: Throttle; isThere: () => boolean; close(): Promise<void> }> {
  // A service without Redis need not load it.
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
  let away = false
  let pausedUntil = 0

  function lost(error: unknown) {
    pausedUntil = performance.now() + PAUSE_MS
    if (away) return
    away = true
    const why = error instanceof Error ? error.message || error.name : String(error)
    log.warn(`Redis is away (${why}): requests are counted in this process until it is back`)
  }

  function found() {
    if (away) log.info('Redis is back: requests are counted there again')
    away = false
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
    giveBack: windows.giveBack,
  })
  const giveBackAll = leases.returnIdle()

  const throttle: Throttle = (key, limit) => {
    const here = countHere(key, limit)
    if (redis.status !== 'ready' || (away && performance.now() < pausedUntil)) return here
    const counted = leases.count(key, limit)
    return counted instanceof Promise ? counted.catch(() => here) : counted
  }

  await new Promise<void>((resolve) => {
    redis.once('ready', resolve)
    redis.once('error', () => resolve())
  })
  return {
    throttle,
    isThere: () => !away,
    async close() {
      await giveBackAll()
      redis.removeAllListeners('close')
      redis.disconnect()
    },
  }
}
