import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { startChromium } from '#test/chromium.ts'
import { fillSignIn } from '#test/sign-in-pages.ts'
import type { Stage } from './stage.ts'

/** Pages whose weight and speed are measured: guest pages, a user's list, and developer pages. */
export const VISITED_PAGES = [
  { name: 'home', path: '/', isReader: false },
  { name: 'list', path: '/galgames', isReader: false },
  { name: 'entry', path: '/galgames/1', isReader: false },
  { name: 'library', path: '/library', isReader: true },
  { name: 'console', path: '/console', isReader: true },
  { name: 'guide', path: '/guide/start', isReader: false },
  { name: 'reference', path: '/docs/saveGalgameRating', isReader: false },
] as const

type VisitedPage = { path: string; isReader: boolean; viewport?: { width: number; height: number } }

/**
 * Starts the service as after a first start, with the sample and the demo user, and a browser.
 *
 * @param name name of the data folder
 */
export async function startPageVisits(stage: Stage, name: string) {
  const { dataDir } = stage.emptyEmbedded(name)
  const service = await stage.serveSample(dataDir)
  const browser = await startChromium()
  const state = await signIn(browser, service.url, dataDir)
  return {
    /** Calls a function with a page in a browser with an empty cache. */
    async visit<Result>(
      { path, isReader, viewport = { width: 1_280, height: 900 } }: VisitedPage,
      inspect: (page: Page, url: string) => Promise<Result>,
    ): Promise<Result> {
      const context = await browser.newContext({
        viewport,
        locale: 'en-GB',
        ...(isReader && { storageState: state }),
      })
      try {
        return await inspect(await context.newPage(), service.url + path)
      } finally {
        await context.close()
      }
    },
    async close() {
      await browser.close()
      await service.stop()
    },
  }
}

/** Cookies of the demo user. */
async function signIn(
  browser: Browser,
  url: string,
  dataDir: string,
): Promise<Awaited<ReturnType<BrowserContext['storageState']>>> {
  const { account }: { account: { email: string; password: string } } = JSON.parse(
    readFileSync(join(dataDir, 'demo.json'), 'utf8'),
  )
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${url}/sign-in`)
  await fillSignIn(page, account)
  await page.locator('.who').waitFor()
  const state = await context.storageState()
  await context.close()
  return state
}
