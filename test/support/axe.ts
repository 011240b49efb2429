import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const SOURCE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const ALL_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Rules whose results depend on color and size, and so may differ between themes and widths. */
const APPEARANCE_RULES = ['color-contrast', 'target-size', 'scrollable-region-focusable']

/** Rules whose results depend on text, and so may differ between languages. */
const TEXT_RULES = [
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

type Appearance = { colorScheme: 'light' | 'dark'; width: number; rules: readonly string[] }

type AxeResults = { violations: { id: string; help: string; nodes: { html: string }[] }[] }

/** Returns the violations of WCAG 2.2 A and AA that axe-core finds on a page. */
export const findAccessibilityFaults = (page: Page) => runAxe(page, ALL_RULES)

/**
 * Returns a page's faults in both themes, 1,280 and 320 pixels wide. Runs all rules in the light theme, those on color
 * and size in the dark one, and checks for horizontal scrolling.
 */
export const findFaultsOfBothThemes = (page: Page) =>
  findFaultsOfLooks(page, [
    { colorScheme: 'light', width: 1_280, rules: ALL_RULES },
    { colorScheme: 'dark', width: 320, rules: APPEARANCE_RULES },
  ])

/** Returns the faults that depend on text and size, for a page already checked in another language. */
export const findFaultsOfLanguage = (page: Page) =>
  findFaultsOfLooks(page, [
    { colorScheme: 'light', width: 1_280, rules: [] },
    { colorScheme: 'dark', width: 320, rules: [...APPEARANCE_RULES, ...TEXT_RULES] },
  ])

async function findFaultsOfLooks(page: Page, looks: Appearance[]): Promise<string[]> {
  const faults: string[] = []
  for (const { colorScheme, width, rules } of looks) {
    // Reduced motion avoids measuring colors in transition between themes.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height: 800 })
    // On a scrolled page, the header covers other controls.
    await page.evaluate('scrollTo(0, 0)')
    const check = `${colorScheme}, ${width} wide`
    const found = rules.length > 0 ? await runAxe(page, rules) : []
    faults.push(...found.map((fault) => `${check}: ${fault}`))
    const overflow = Number(
      await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
    )
    if (overflow > 0) faults.push(`${check}: ${overflow} pixels too wide`)
  }
  return faults
}

async function runAxe(page: Page, runOnly: readonly string[]): Promise<string[]> {
  // A script element would violate the page's Content-Security-Policy.
  const session = await page.context().newCDPSession(page)
  const evaluate = (expression: string) =>
    session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
  const { result: loaded } = await evaluate("typeof axe === 'object'")
  if (loaded.value !== true) await evaluate(`${SOURCE};undefined`)
  const { result } = await evaluate(
    `axe.run(document, ${JSON.stringify({ runOnly, resultTypes: ['violations'] })}).then(JSON.stringify)`,
  )
  await session.detach()
  // as: the documented result of axe.run
  const { violations } = JSON.parse(String(result.value)) as AxeResults
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`,
  )
}
