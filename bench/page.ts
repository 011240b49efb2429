import { startBytesOf } from './floors/start.ts'
import type { Claim } from './support/claim.ts'
import { toResult } from './support/report.ts'
import { compare } from './support/rounds.ts'
import { speedOf } from './support/speed.ts'

/** As a browser asks, without compression: the floor has none. */
const HEADERS = { accept: 'text/html', 'accept-encoding': 'identity' }

/** A list page of guests that is kept in memory, against a bare server and the same bytes. */
export const page: Claim = {
  name: 'page',
  async measure(stage) {
    const service = await stage.serve(await stage.catalog())
    const url = `${service.url}/galgames`
    const floor = await startBytesOf(stage, url, HEADERS)
    const comparison = await compare(
      stage,
      speedOf(stage, floor, { url: floor.url }),
      speedOf(stage, service, { url, headers: HEADERS }),
    )
    await Promise.all([service.stop(), floor.stop()])
    return [toResult('list page, kept', comparison, 0.4)]
  },
}
