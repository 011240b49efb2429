import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Redis } from 'ioredis'
import { codesOf, findingOf } from '#test/examination.ts'
import { examineServicesIn } from '#test/examine-services.ts'
import { redisMissing, startRedis } from '#test/redis.ts'

describe('the Redis check', { skip: redisMissing() }, () => {
  const { examineServices } = examineServicesIn()

  it('reports eviction, replicas, and slow or unreachable servers', async () => {
    const redis = await startRedis()
    const client = new Redis(redis.url)
    const codes = async (limits = {}) =>
      codesOf(
        await examineServices({ REDIS_URL: redis.url }, { redisMs: 1_000, ...limits }),
        'redis',
      )
    try {
      assert.deepEqual(await codes(), [])
      await client.config('SET', 'maxmemory-policy', 'allkeys-lru')
      assert.deepEqual(await codes(), [], 'there is no memory limit')
      await client.config('SET', 'maxmemory', '50mb')
      assert.deepEqual(await codes({ redisMs: 0 }), ['warning redis.evicts', 'warning redis.slow'])
      await client.config('SET', 'maxmemory-policy', 'noeviction')
      await client.replicaof('127.0.0.1', 1)
      assert.deepEqual(await codes(), ['error redis.replica'])
      redis.pause()
      const frozen = await examineServices({ REDIS_URL: redis.url })
      redis.resume()
      assert.equal(findingOf(frozen, 'redis.unreachable')?.why, 'silent')
    } finally {
      client.disconnect()
      await redis.stop()
    }
    const stopped = await examineServices({ REDIS_URL: redis.url })
    assert.equal(findingOf(stopped, 'redis.unreachable')?.why, 'refused')
  })
})
