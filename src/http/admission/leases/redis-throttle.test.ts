import assert from 'node:assert/strict'
import { Redis } from 'ioredis'
import { after, before, describe, it } from 'node:test'
import { redisMissing, startRedis, type RedisServer } from '#test/redis.ts'
import type { RateLimitWindow } from '../../wire/errors/rate-limit.ts'
import { redisThrottle } from './redis-throttle.ts'
import { memoryThrottle } from '../throttle.ts'

const SILENT = { warn() {}, info() {} }
/** Timeout for Redis. With a short one, the throttle of a busy machine would count without Redis. */
const REDIS_TIMEOUT_MS = 60_000

describe('throttles that share Redis', { skip: redisMissing() }, () => {
  let redis: RedisServer
  before(async () => {
    redis = await startRedis()
  })
  after(() => redis.stop())

  const open = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () =>
        redisThrottle(redis.url, SILENT, memoryThrottle(), REDIS_TIMEOUT_MS),
      ),
    )

  /** Sends eight requests at a time until every worker is refused or `most` requests were sent. */
  async function hammer(
    { throttle }: { throttle: Awaited<ReturnType<typeof redisThrottle>>['throttle'] },
    limit: number,
    key: string,
    max = 2 * limit,
  ) {
    const windows: RateLimitWindow[] = []
    let sent = 0
    const worker = async () => {
      while (sent < max) {
        sent += 1
        const window = await throttle(key, limit)
        windows.push(window)
        if (window.exceeded) return
      }
    }
    await Promise.all(Array.from({ length: 8 }, worker))
    return windows
  }

  it('admit exactly the limit across four processes, with few calls to Redis', async () => {
    const LIMIT = 20_000
    const throttles = await open(4)
    const client = new Redis(redis.url)
    try {
      const windows = await Promise.all(
        throttles.map((throttle) => hammer(throttle, LIMIT, 'storm')),
      )
      const through = windows.map((some) => some.filter(({ exceeded }) => !exceeded).length)
      assert.equal(
        through.reduce((sum, some) => sum + some, 0),
        LIMIT,
        String(through),
      )
      for (const some of windows)
        for (const [index, { remaining, resetMs }] of some.entries()) {
          const earlier = some[index - 1]
          assert.ok(!earlier || (remaining <= earlier.remaining && resetMs <= earlier.resetMs))
        }
      const calls = /cmdstat_evalsha:calls=(\d+)/.exec(await client.info('commandstats'))?.[1]
      assert.ok(Number(calls) < LIMIT / 4, `${calls} questions`)
    } finally {
      client.disconnect()
      for (const { close } of throttles) await close()
    }
  })

  it('return their held slots when they close', async () => {
    const LIMIT = 10_000
    const [one, other] = await open(2)
    assert.ok(one && other)
    try {
      const used = (await hammer(one, LIMIT, 'stopping', 1_000)).length
      await one.close()
      const windows = await hammer(other, LIMIT, 'stopping')
      assert.equal(windows.filter(({ exceeded }) => !exceeded).length, LIMIT - used)
    } finally {
      await other.close()
    }
  })
})
