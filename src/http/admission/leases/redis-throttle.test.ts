import assert from 'node:assert/strict'
import { Redis } from 'ioredis'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
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

  /** Sends eight requests at a time until every worker is refused or `max` requests have been sent. */
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
    const [first, second] = await open(2)
    assert.ok(first && second)
    try {
      const used = (await hammer(first, LIMIT, 'stopping', 1_000)).length
      await first.close()
      const windows = await hammer(second, LIMIT, 'stopping')
      assert.equal(windows.filter(({ exceeded }) => !exceeded).length, LIMIT - used)
    } finally {
      await second.close()
    }
  })
})

describe('a throttle that loses Redis', { skip: redisMissing() }, () => {
  async function openLogged(url: string, timeoutMs = REDIS_TIMEOUT_MS) {
    const logged: string[] = []
    const log = (text: string) => void logged.push(text)
    const opened = await redisThrottle(url, { warn: log, info: log }, undefined, timeoutMs)
    /** Waits until Redis is unavailable, or sends requests until it is available. */
    async function until(isThere: boolean) {
      for (; opened.isThere() !== isThere; await sleep(20))
        if (isThere) await opened.throttle('other', 1)
    }
    return { ...opened, logged, until }
  }
  const unavailable = (why: string) =>
    `Redis is unavailable (${why}): counting requests in this process until it is back`
  const AVAILABLE = 'Redis is back: counting requests there again'

  it('counts in its process, logs the outage once, and uses Redis again once it is back', async () => {
    const redis = await startRedis()
    const { throttle, logged, isThere, until, close } = await openLogged(redis.url)
    try {
      assert.equal((await throttle('key', 60)).remaining, 59)
      assert.deepEqual([isThere(), logged], [true, []])
      await redis.stop()
      await until(false)
      assert.equal((await throttle('key', 60)).remaining, 58, 'the requests before count too')
      await sleep(500)
      assert.equal(logged.length, 1)
      assert.match(logged[0] ?? '', /^Redis is unavailable \(.+\): counting requests in this/)
      await redis.start()
      await until(true)
      assert.deepEqual(logged.slice(1), [AVAILABLE])
      assert.equal((await throttle('key', 60)).remaining, 59)
    } finally {
      await close()
    }
    const client = new Redis(redis.url)
    while (!(await client.info('clients')).includes('connected_clients:1\r')) await sleep(20)
    client.disconnect()
    await redis.stop()
    assert.equal(logged.length, 2, 'closing is no outage')
  })

  it('waits only once if Redis hangs, and tries it again a second later', async () => {
    const redis = await startRedis()
    const { throttle, logged, until, close } = await openLogged(redis.url, 200)
    try {
      redis.pause()
      const since = performance.now()
      assert.equal((await throttle('key', 60)).remaining, 59)
      assert.ok(performance.now() - since >= 190)
      assert.ok(!(throttle('key', 60) instanceof Promise))
      assert.deepEqual(logged, [unavailable('Command timed out')])
      redis.resume()
      await until(true)
      assert.ok(performance.now() - since >= 1_190)
    } finally {
      await close()
      await redis.stop()
    }
  })

  it('starts without Redis', async () => {
    const { throttle, isThere, logged, close } = await openLogged('redis://127.0.0.1:1')
    try {
      assert.equal((await throttle('key', 60)).remaining, 59)
      assert.deepEqual(
        [isThere(), logged],
        [false, [unavailable('connect ECONNREFUSED 127.0.0.1:1')]],
      )
    } finally {
      await close()
    }
  })
})
