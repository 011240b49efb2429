import { startRedis } from '#test/redis.ts'
import { startSameBytes } from './floors/start.ts'
import type { Claim } from './support/claim.ts'
import { toResult } from './support/report.ts'
import { compare } from './support/rounds.ts'
import { speedOf } from './support/speed.ts'

const ID = 500

/** Measures the warm detail with the throttle in Redis, as several processes share it. */
export const sharedThrottle: Claim = {
  name: 'redis',
  async measure(stage) {
    const redis = await startRedis()
    try {
      const service = await stage.serve(await stage.catalog(), { REDIS_URL: redis.url })
      const floor = await startSameBytes(stage, service, ID)
      const comparison = await compare(
        stage,
        speedOf(stage, floor, { url: floor.url }),
        speedOf(stage, service, { url: service.detail(ID), headers: service.headers }),
      )
      await Promise.all([service.stop(), floor.stop()])
      return [toResult('warm detail, throttle in Redis', comparison, 0.55)]
    } finally {
      await redis.stop()
    }
  },
}
