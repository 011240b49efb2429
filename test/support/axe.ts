import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const SOURCE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const WHOLE = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** What depends on colours and room, and so may differ between the two looks of one page. */
const OF_THE_LOOK = ['color-contrast', 'target-size', 'scrollable-region-focusable']

/** What depends on a page's words, and so may differ between its languages. */
const OF_THE_WORDS = [
  'aria-command-name',
  'aria-input-field-name',
  'aria-toggle-field-name',
  'button-name',
  'document-title',
  'empty-heading',
  'empty-table-header',
  'html-has-lang',
  'html-lang-valid',
  'image-alt',
  'input-button-name',
  'label',
  'label-title-only',
  'link-in-text-block',
  'link-name',
  'select-name',
  'summary-name',
  'svg-img-alt',
  'valid-lang',
]

type Look = { colorScheme: 'light' | 'dark'; width: number; rules: readonly string[] }

type AxeResults = { violations: { id: string; help: string; nodes: { html: string }[] }[] }

/** What axe-core finds wrong with a page by WCAG 2.2 A and AA. */
export const findAccessibilityFaults = (page: Page) => runAxe(page, WHOLE)

/**
 * What is wrong with a page in either theme, 1,280 and 320 pixels wide: all rules in the light, those that colours and
 * room decide in the dark, and whether it scrolls sideways.
 */
export const findFaultsOfBothLooks = (page: Page) =>
  findFaultsOfLooks(page, [
    { colorScheme: 'light', width: 1_280, rules: WHOLE },
    { colorScheme: 'dark', width: 320, rules: OF_THE_LOOK },
  ])

/** What is wrong with a page, of which another language has been looked at, in this one: with its words, and the room for them. */
export const findFaultsOfLanguage = (page: Page) =>
  findFaultsOfLooks(page, [
    { colorScheme: 'light', width: 1_280, rules: [] },
    { colorScheme: 'dark', width: 320, rules: [...OF_THE_LOOK, ...OF_THE_WORDS] },
  ])

async function findFaultsOfLooks(page: Page, looks: Look[]): Promise<string[]> {
  const faults: string[] = []
  for (const { colorScheme, width, rules } of looks) {
    // Colours that are on their way from one theme to the other are neither's.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height: 800 })
    const look = `${colorScheme}, ${width} wide`
    const found = rules.length > 0 ? await runAxe(page, rules) : []
    faults.push(...found.map((fault) => `${look}: ${fault}`))
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
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`,
  )
}
