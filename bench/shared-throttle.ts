import { startRedis } from '#test/redis.ts'
import { compareWithBytes } from './floors/start.ts'
import type { Claim } from './support/claim.ts'
import { toResult } from './support/report.ts'

const ID = 500

/** Measures the warm detail with the throttle in Redis, as several processes share it. */
export const sharedThrottle: Claim = {
  name: 'redis',
  async measure(stage) {
    const redis = await startRedis()
    try {
      const service = await stage.serve(await stage.catalog(), { REDIS_URL: redis.url })
      const request = { url: service.detail(ID), headers: service.headers }
      const comparison = await compareWithBytes(stage, service, request)
      await service.stop()
      return [toResult('warm detail, throttle in Redis', comparison, 0.7)]
    } finally {
      await redis.stop()
    }
  },
}
