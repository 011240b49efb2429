import type { Redis } from 'ioredis'
import { randomUUID } from 'node:crypto'
import { WINDOW_MS } from '../../wire/errors/rate-limit.ts'
import type { SharedCounter } from './shared-counter.ts'

/**
 * Grants slots in one round trip, and starts the window with its first request. Spare slots are limited to an eighth
 * of what is then free, so none are granted near the limit. A key without an expiry time gets one, because it would
 * otherwise count forever. Such a key exists only if someone edits the Redis database.
 */
const TAKE = `
local limit, needed, spare = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local left = redis.call('pttl', KEYS[1])
if left < 0 then
  redis.call('hset', KEYS[1], 'window', ARGV[5])
  redis.call('pexpire', KEYS[1], ARGV[4])
  left = tonumber(ARGV[4])
end
local window = redis.call('hget', KEYS[1], 'window')
local free = math.max(0, limit - tonumber(redis.call('hget', KEYS[1], 'used') or 0))
local granted = math.min(free, needed)
granted = granted + math.min(spare, math.floor((free - granted) / 8))
if granted > 0 then redis.call('hincrby', KEYS[1], 'used', granted) end
return { granted, free - granted, left, window }
`

const RETURN_SLOTS = `
if redis.call('hget', KEYS[1], 'window') == ARGV[2] then
  return redis.call('hincrby', KEYS[1], 'used', -tonumber(ARGV[1]))
end
return 0
`

declare module 'ioredis' {
  interface RedisCommander {
    takeSlots(
      key: string,
      limit: number,
      needed: number,
      spare: number,
      windowMs: number,
      nextWindow: string,
    ): Promise<[granted: number, free: number, remainingMs: number, window: string]>
    giveSlotsBack(key: string, slots: number, window: string | number): Promise<number>
  }
}

/** Lua scripts to register with the Redis client. */
export const WINDOW_SCRIPTS = {
  takeSlots: { numberOfKeys: 1, lua: TAKE },
  giveSlotsBack: { numberOfKeys: 1, lua: RETURN_SLOTS },
}

const nameOf = (key: string) => `mokuroku:window:${key}`

/** Windows in Redis. Each is a hash of its id and its used slots that expires with the window. */
export function redisWindows(redis: Redis): SharedCounter {
  return {
    async take(key, { needed, spare, limit }) {
      const [granted, free, remainingMs, window] = await redis.takeSlots(
        nameOf(key),
        limit,
        needed,
        spare,
        WINDOW_MS,
        randomUUID(),
      )
      return { granted, free, remainingMs, window }
    },
    async returnSlots(key, slots, window) {
      await redis.giveSlotsBack(nameOf(key), slots, window)
    },
  }
}
