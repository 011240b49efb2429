import { compareWithBytes } from './floors/start.ts'
import type { Claim } from './support/claim.ts'
import { toResult, type Result } from './support/report.ts'

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
      const request = { url: service.url + path, headers: HEADERS }
      const comparison = await compareWithBytes(stage, service, request)
      results.push(toResult(`${name} page, kept`, comparison, 0.4))
    }
    await service.stop()
    return results
  },
}
