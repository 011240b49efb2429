import { compareWithBytes } from './floors/start.ts'
import type { Claim } from './support/claim.ts'
import { toResult } from './support/report.ts'

const ID = 500

/**
 * Measures a cached detail with token, throttle, ETag and all headers against a bare server that sends the same bytes.
 */
export const warmDetail: Claim = {
  name: 'warm',
  async measure(stage) {
    const service = await stage.serve(await stage.catalog())
    const request = { url: service.detail(ID), headers: service.headers }
    const comparison = await compareWithBytes(stage, service, request)
    await service.stop()
    return [toResult('warm detail', comparison, 0.8)]
  },
}
