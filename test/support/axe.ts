import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const SOURCE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const WHOLE = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** What depends on colours and room, and so may differ between the two looks of one page. */
const OF_THE_LOOK = ['color-contrast', 'target-size', 'scrollable-region-focusable']

type AxeResults = { violations: { id: string; help: string; nodes: { html: string }[] }[] }

/** What axe-core finds wrong with a page by WCAG 2.2 A and AA. */
export const findAccessibilityFaults = (page: Page) => runAxe(page, WHOLE)

/**
 * What is wrong with a page in either theme, 1,280 and 320 pixels wide: all rules in the light, those that colours and
 * room decide in the dark, and whether it scrolls sideways.
 */
export async function findFaultsOfBothLooks(page: Page): Promise<string[]> {
  const faults: string[] = []
  for (const [colorScheme, width, rules] of [
    ['light', 1_280, WHOLE],
    ['dark', 320, OF_THE_LOOK],
  ] as const) {
    // Colours that are on their way from one theme to the other are neither's.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height: 800 })
    const look = `${colorScheme}, ${width} wide`
    for (const fault of await runAxe(page, rules)) faults.push(`${look}: ${fault}`)
    const beyond = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
    if (beyond > 0) faults.push(`${look}: ${beyond} pixels too wide`)
  }
  return faults
}

async function runAxe(page: Page, runOnly: readonly string[]): Promise<string[]> {
  // Not as a script of the page, which its policy forbids.
  const session = await page.context().newCDPSession(page)
  const evaluate = (expression: string) =>
    session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
  const { result: loaded } = await evaluate("typeof axe === 'object'")
  if (loaded.value !== true) await evaluate(`${SOURCE};undefined`)
  const { result } = await evaluate(
    `axe.run(document, ${JSON.stringify({ runOnly, resultTypes: ['violations'] })}).then(JSON.stringify)`,
  )
  await session.detach()
  // as: what axe says it gives
  const { violations } = JSON.parse(String(result.value)) as AxeResults
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`)
}
