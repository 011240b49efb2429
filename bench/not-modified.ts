import { compareWithBytes } from './floors/start.ts'
import type { Claim } from './support/claim.ts'
import { toResult } from './support/report.ts'

const ID = 500

/** Measures 304 responses to a client that has the detail. The floor sends the whole body. */
export const notModified: Claim = {
  name: '304',
  async measure(stage) {
    const service = await stage.serve(await stage.catalog())
    const request = { url: service.detail(ID), headers: service.headers }
    const { headers } = await fetch(request.url, request)
    const conditional = { ...service.headers, 'if-none-match': headers.get('etag') ?? '' }
    const { status } = await fetch(request.url, { headers: conditional })
    if (status !== 304) throw new Error(`A matching If-None-Match is answered with ${status}`)
    const comparison = await compareWithBytes(stage, service, request, conditional)
    await service.stop()
    return [toResult('304 on a warm detail', comparison, 0.75)]
  },
}
