import { startSameBytes } from './floors/start.ts'
import type { Claim } from './support/claim.ts'
import { toResult } from './support/report.ts'
import { compare } from './support/rounds.ts'
import { speedOf } from './support/speed.ts'

const ID = 500

/**
 * Measures a cached detail with token, throttle, ETag and all headers against a bare server that sends the same bytes.
 */
export const warmDetail: Claim = {
  name: 'warm',
  async measure(stage) {
    const service = await stage.serve(await stage.catalog())
    const floor = await startSameBytes(stage, service, ID)
    const comparison = await compare(
      stage,
      speedOf(stage, floor, { url: floor.url }),
      speedOf(stage, service, { url: service.detail(ID), headers: service.headers }),
    )
    await Promise.all([service.stop(), floor.stop()])
    return [
      toResult('warm detail', comparison, 0.7),
      { ...toResult('warm detail, next', comparison, 0.75), series: [] },
    ]
  },
}
