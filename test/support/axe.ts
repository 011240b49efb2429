import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const SOURCE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

type AxeResults = { violations: { id: string; help: string; nodes: { html: string }[] }[] }

/** What axe-core finds wrong with a page by WCAG 2.2 A and AA. */
export async function findAccessibilityFaults(page: Page): Promise<string[]> {
  // Not as a script of the page, which its policy forbids.
  const session = await page.context().newCDPSession(page)
  const options = { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }
  await session.send('Runtime.evaluate', { expression: SOURCE })
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, ${JSON.stringify(options)}).then(JSON.stringify)`,
    awaitPromise: true,
    returnByValue: true,
  })
  await session.detach()
  // as: what axe says it gives
  const { violations } = JSON.parse(String(result.value)) as AxeResults
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`)
}
