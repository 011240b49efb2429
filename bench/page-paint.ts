import type { Page } from 'playwright-core'
import { watchMachine } from './support/busy.ts'
import type { Claim } from './support/claim.ts'
import { startPageVisits, VISITED_PAGES } from './support/page-visits.ts'
import type { Result } from './support/report.ts'
import { median } from './support/rounds.ts'

/** Factor by which the browser throttles the CPU. */
const SLOWED = 4
/** Maximum seconds until the largest contentful paint. */
const MAX_SECONDS = 1

/** Measures when a page is painted, loaded over loopback with a throttled CPU, and its layout shift. */
export const pagePaint: Claim = {
  name: 'paint',
  async measure(stage) {
    const visits = await startPageVisits(stage, 'paint')
    const results: Result[] = []
    for (const where of VISITED_PAGES) {
      // The first visit fills the service's caches.
      await visits.visit(where, measurePage)
      const endWatch = watchMachine()
      const looks: PaintTimes[] = []
      for (let round = 0; round < stage.rounds; round += 1)
        looks.push(await visits.visit(where, measurePage))
      const paint = median(looks.map((times) => times.paint))
      const shift = Math.max(...looks.map((times) => times.shift))
      results.push({
        row: `largest paint of ${where.name}, processor slowed ${SLOWED} times; shift`,
        measured: `${paint.toFixed(2)} s; ${shift.toFixed(3)}`,
        target: `≤ ${MAX_SECONDS} s; 0`,
        met: paint <= MAX_SECONDS && shift === 0,
        busy: endWatch(),
        series: [{ unit: 's', better: 'less', values: looks.map((times) => times.paint) }],
      })
    }
    await visits.close()
    await stage.turns?.pass()
    return results
  },
}

/** Returns seconds until the largest contentful paint, and the cumulative layout shift. */
type PaintTimes = { paint: number; shift: number }

async function measurePage(page: Page, url: string): Promise<PaintTimes> {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWED })
  await page.goto(url, { waitUntil: 'networkidle' })
  const [paint, shift]: number[] = JSON.parse(String(await page.evaluate(OBSERVE)))
  if (!paint) throw new Error(`Nothing was painted at ${url}`)
  return { paint: paint / 1_000, shift: shift ?? 0 }
}

/** Performance entries of the browser since navigation, once they have been reported. */
const OBSERVE = `(async () => {
  const entriesOf = (type) => new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries())).observe({ type, buffered: true })
    setTimeout(resolve, 1000, [])
  })
  const [paints, shifts] = await Promise.all(['largest-contentful-paint', 'layout-shift'].map(entriesOf))
  return JSON.stringify([
    paints.at(-1)?.startTime ?? 0,
    shifts.filter((shift) => !shift.hadRecentInput).reduce((sum, { value }) => sum + value, 0),
  ])
})()`
