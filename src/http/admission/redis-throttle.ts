import { memoryThrottle, rateLimitWindow, type Throttle } from './throttle.ts'
import { WINDOW_MS } from '../wire/rate-limit.ts'

/**
 * One round trip: counts the request, and starts the window with its first. Returns what is used and the milliseconds
 * left. A counter that lost its end (it cannot, short of a hand in the database) is given one, else it would count for ever.
 */
const COUNT = `
local used = redis.call('incr', KEYS[1])
local left = redis.call('pttl', KEYS[1])
if left < 0 then
  redis.call('pexpire', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return { used, left }
`

/** Longer than any healthy answer, shorter than a reader's patience. */
const TIMEOUT_MS = 300
/** After a failure Redis is left alone for so long, so that one that hangs does not slow every request. */
const PAUSE_MS = 1_000

type Log = { warn(text: string): void; info(text: string): void }

declare module 'ioredis' {
  interface RedisCommander {
    countRequest(key: string, windowMs: number): Promise<[used: number, leftMs: number]>
  }
}

/**
 * Counts in Redis, shared by every process that names the same one. While Redis is away the requests are served and
 * counted here, and the log says so once.
 *
 * @returns when Redis has answered, or has not within its time limit
 */
export async function redisThrottle(url: string, log: Log): Promise<{ throttle: Throttle; close(): void }> {
  // A service without Redis need not load it.
  const { Redis } = await import('ioredis')
  const redis = new Redis(url, {
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: TIMEOUT_MS,
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
    scripts: { countRequest: { numberOfKeys: 1, lua: COUNT } },
  })
  // Every request counts here too, so that a failing Redis does not give everyone a fresh window.
  const countHere = memoryThrottle()
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

  const throttle: Throttle = async (key, limit) => {
    const here = countHere(key, limit)
    if (redis.status !== 'ready' || (away && performance.now() < pausedUntil)) return here
    try {
      const [used, leftMs] = await redis.countRequest(`mokuroku:throttle:${key}`, WINDOW_MS)
      found()
      return rateLimitWindow(used, limit, leftMs)
    } catch (error) {
      lost(error)
      return here
    }
  }

  await new Promise<void>((resolve) => {
    redis.once('ready', resolve)
    redis.once('error', () => resolve())
  })
  return {
    throttle,
    close() {
      redis.removeAllListeners('close')
      redis.disconnect()
    },
  }
}
