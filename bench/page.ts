import { startBytesOf } from './floors/start.ts'
import type { Claim } from './support/claim.ts'
import { toResult, type Result } from './support/report.ts'
import { compare } from './support/rounds.ts'
import { speedOf } from './support/speed.ts'

/** Browser headers without compression, because the floor does not compress. */
const HEADERS = { accept: 'text/html', 'accept-encoding': 'identity' }

const PAGES = [
  { name: 'list', path: '/galgames' },
  { name: 'entry', path: '/galgames/1' },
]

/** Measures cached guest pages against a bare server that sends the same bytes. */
export const page: Claim = {
  name: 'page',
  async measure(stage) {
    const service = await stage.serve(await stage.catalog())
    const results: Result[] = []
    for (const { name, path } of PAGES) {
      const url = service.url + path
      const floor = await startBytesOf(stage, url, HEADERS)
      const comparison = await compare(
        stage,
        speedOf(stage, floor, { url: floor.url }),
        speedOf(stage, service, { url, headers: HEADERS }),
      )
      await floor.stop()
      results.push(toResult(`${name} page, kept`, comparison, 0.4))
    }
    await service.stop()
    return results
  },
}
