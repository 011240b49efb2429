import { startSameBytes } from './floors/start.ts'
import type { Claim } from './support/claim.ts'
import { toResult } from './support/report.ts'
import { compare } from './support/rounds.ts'
import { speedOf } from './support/speed.ts'

const ID = 500

/** Measures 304 responses to a client that has the detail. The floor sends the whole body. */
export const notModified: Claim = {
  name: '304',
  async measure(stage) {
    const service = await stage.serve(await stage.catalog())
    const floor = await startSameBytes(stage, service, ID)
    const url = service.detail(ID)
    const { headers } = await fetch(url, { headers: service.headers })
    const conditional = { ...service.headers, 'if-none-match': headers.get('etag') ?? '' }
    const { status } = await fetch(url, { headers: conditional })
    if (status !== 304) throw new Error(`A matching If-None-Match is answered with ${status}`)
    const comparison = await compare(
      stage,
      speedOf(stage, floor, { url: floor.url }),
      speedOf(stage, service, { url, headers: conditional }),
    )
    await Promise.all([service.stop(), floor.stop()])
    return [toResult('304 on a warm detail', comparison, 0.75)]
  },
}
