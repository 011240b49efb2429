import type { Page } from 'playwright-core'
import { watchMachine } from './support/busy.ts'
import type { Claim } from './support/claim.ts'
import { startPageVisits, VISITED_PAGES } from './support/page-visits.ts'
import type { Result } from './support/report.ts'

/** Maximum kilobytes over the wire including headers: first visit, visit with cached assets, and script only. */
const MAX_KILOBYTES = { cold: 60, kept: 20, script: 40 }

/** Page that loads the shared assets, so that they are cached for the measured page. */
const OTHER = '/search'

/** Measures what a browser loads for a page, compressed and without pictures. */
export const pageWeight: Claim = {
  name: 'weight',
  async measure(stage) {
    const visits = await startPageVisits(stage, 'weight')
    const results: Result[] = []
    for (const where of VISITED_PAGES) {
      const endWatch = watchMachine()
      const cold = await visits.visit(where, weigh)
      const restored = await visits.visit(where, async (page, url) => {
        await page.goto(new URL(OTHER, url).href, { waitUntil: 'networkidle' })
        return weigh(page, url)
      })
      const values = [cold.all, restored.all, cold.script].map((bytes) => bytes / 1_000)
      const [all = 0, repeated = 0, script = 0] = values
      results.push({
        row: `weight of ${where.name}, cold, with assets kept, script`,
        measured: values.map((value) => value.toFixed(1)).join(', ') + ' kB',
        target: `≤ ${MAX_KILOBYTES.cold}, ${MAX_KILOBYTES.kept}, ${MAX_KILOBYTES.script} kB`,
        met:
          all <= MAX_KILOBYTES.cold &&
          repeated <= MAX_KILOBYTES.kept &&
          script <= MAX_KILOBYTES.script,
        busy: endWatch(),
        series: values.map((value) => ({ unit: 'kB', better: 'less', values: [value] })),
      })
    }
    await visits.close()
    await stage.turns?.pass()
    return results
  },
}

/** Bytes received over the wire. Cached responses count as zero. */
async function weigh(page: Page, url: string): Promise<{ all: number; script: number }> {
  const session = await page.context().newCDPSession(page)
  const types = new Map<string, string>()
  const sum = { all: 0, script: 0 }
  session.on('Network.responseReceived', ({ requestId, type }) => types.set(requestId, type))
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const type = types.get(requestId)
    if (type === 'Image') return
    sum.all += encodedDataLength
    if (type === 'Script') sum.script += encodedDataLength
  })
  await session.send('Network.enable')
  await page.goto(url, { waitUntil: 'networkidle' })
  await session.detach()
  return sum
}
