import type { Page } from 'playwright-core'
import { watchMachine } from './support/busy.ts'
import type { Claim } from './support/claim.ts'
import { startPageVisits } from './support/page-visits.ts'
import type { Result } from './support/report.ts'

/** Factor by which the browser throttles the CPU. */
const SLOWED = 4
/** Maximum 98th percentile, in milliseconds, of the time from an input to the next frame. */
const MAX_MS = 200
/** Number of works on the user's list. */
const WORKS = 100
const PHONE = { width: 360, height: 740 }
const LIBRARY = { name: 'library', path: '/library', isReader: true, viewport: PHONE } as const

/** Measures the time from input to the next frame on a user's list, on a slow phone. */
export const interactions: Claim = {
  name: 'inp',
  async measure(stage) {
    const visits = await startPageVisits(stage, 'interactions')
    await visits.visit(LIBRARY, fillList)
    const durations = new Map<string, number[]>()
    const endWatch = watchMachine()
    for (let round = 0; round < stage.rounds; round += 1) {
      await visits.visit(LIBRARY, async (page, url) => {
        for (const { name, ms } of await interact(page, url))
          durations.set(name, [...(durations.get(name) ?? []), ms])
      })
    }
    const busy = endWatch()
    await visits.close()
    await stage.turns?.pass()
    const row = (name: string, values: number[]): Result => ({
      row: `phone list, processor slowed ${SLOWED} times: ${name}`,
      measured: `${percentile(values)} ms p98`,
      busy,
      series: [{ unit: 'ms', better: 'less', values }],
    })
    const all = [...durations.values()].flat()
    return [
      {
        ...row('input to next frame', all),
        target: `≤ ${MAX_MS} ms`,
        met: all.length > 0 && percentile(all) <= MAX_MS,
      },
      ...[...durations].map(([name, values]) => row(name, values)),
    ]
  },
}

function percentile(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.ceil(sorted.length * 0.98) - 1] ?? Infinity
}

/** Adds works to the list with the forms of their pages, as a user does. */
async function fillList(page: Page, url: string) {
  const paths: string[] = []
  for (const kind of ['galgames', 'light-novels', 'mangas']) {
    await page.goto(new URL(`/${kind}`, url).href)
    paths.push(
      ...(await page.evaluate<string[]>(
        `[...document.querySelectorAll('.entry a:has(.picture)')].map(({ pathname }) => pathname)`,
      )),
    )
  }
  const works = paths.slice(0, WORKS)
  await page.evaluate(`(async () => {
    const statuses = ['GOING', 'COMPLETED', 'ON_HOLD', 'DROPPED', 'PLAN']
    for (const [index, path] of ${JSON.stringify(works)}.entries()) {
      const text = await (await fetch('/library' + path + '/mark')).text()
      const form = new DOMParser().parseFromString(text, 'text/html').querySelector('form[data-mark]')
      const body = new URLSearchParams(new FormData(form))
      body.set('status', statuses[index % statuses.length])
      body.set('rate', String(1 + (index % 10)))
      await fetch('/library' + path + '/mark', { method: 'POST', body, redirect: 'manual' })
    }
  })()`)
}

type Interaction = { name: string; ms: number }

/** Uses each control of the list, and returns how long each interaction took. */
async function interact(page: Page, url: string): Promise<Interaction[]> {
  const found = new Map<string, Interaction>()
  let name = ''
  await page.exposeBinding('report', (_source, id: string, ms: number) => {
    found.set(id, { name: found.get(id)?.name ?? name, ms: Math.max(ms, found.get(id)?.ms ?? 0) })
  })
  await page.addInitScript(OBSERVE)
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWED })
  await page.goto(url, { waitUntil: 'networkidle' })
  const step = async (label: string, act: () => Promise<unknown>) => {
    name = label
    await act()
    // Entries arrive after the next frame.
    await page.waitForTimeout(500)
  }
  const press = (key: string, times: number) => async () => {
    for (let index = 0; index < times; index += 1) await page.keyboard.press(key)
  }
  const row = page.locator('[data-item]').nth(3)
  const panel = page.locator('.mark-panel')

  await step('type into the filter', () => page.locator('#title-part').pressSequentially('clannad'))
  await step('choose an order', async () => {
    await page.locator('#sort').focus()
    await press('ArrowDown', 2)()
  })
  await step('select works', async () => {
    for (const index of [0, 1, 2, 20])
      await page.locator('.pick input').nth(index).click({ force: true })
  })
  await page.locator('.own-link').first().focus()
  await step('move by arrow keys', press('ArrowDown', 12))
  await step('move to the end and back', async () => {
    await page.keyboard.press('End')
    await page.keyboard.press('Home')
  })
  await step('open the editor of a work', async () => {
    await row.locator('a[data-mark-link]').click()
    await panel.locator('[name=rate]').waitFor()
  })
  /** Presses a key in a field, and chooses a value. */
  const choose = (field: string, value: string) => async () => {
    await panel.locator(`[name=${field}]`).press('Tab')
    await panel.locator(`[name=${field}]`).selectOption(value)
    await panel.locator('[data-state=saved]').waitFor()
  }
  await step('rate', choose('rate', '8.5'))
  await step('change the status', choose('status', 'PLAN'))
  await step('close the editor', () => page.keyboard.press('Escape'))
  await step('filter', async () => {
    await page.locator('.narrowing button').click()
    await page.waitForURL(/q=clannad/)
  })
  await page.goto(new URL('?view=table&sort=score', url).href, { waitUntil: 'networkidle' })
  await step('reverse the order', async () => {
    await page.locator('[aria-sort] a').press('Enter')
    await page.waitForURL(/reverse=1/)
  })
  await page.goto(new URL('?view=rows', url).href)
  return [...found.values()]
}

/** Reports the duration of each interaction, by an id that is unique across pages. */
const OBSERVE = `new PerformanceObserver((list) => {
  for (const { interactionId, duration } of list.getEntries())
    if (interactionId > 0) window.report(performance.timeOrigin + '-' + interactionId, duration)
}).observe({ type: 'event', durationThreshold: 16, buffered: true })`
