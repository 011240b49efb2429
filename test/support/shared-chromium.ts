import type { Browser, BrowserContext } from 'playwright-core'
import { closeAtEnd } from './shared-cleanup.ts'
import { startChromium } from './chromium.ts'

/** The part of a browser that tests use. Closing it closes its windows. */
export type TestBrowser = Pick<Browser, 'newContext' | 'newPage' | 'close'>

/** Disables the optimizing compiler: page scripts are short, and optimizing axe-core takes longer than running it. */
const SHORT_SCRIPTS = '--no-opt --no-maglev'

const browsers = new Map<boolean, Promise<Browser>>()

closeAtEnd(async () => {
  for (const browser of browsers.values()) await (await browser).close()
})

/** Returns a browser whose process all files of this process share. Each file has its own windows. */
export async function shareChromium({ backForwardCache = false } = {}): Promise<TestBrowser> {
  const started =
    browsers.get(backForwardCache) ?? startChromium({ backForwardCache, scripts: SHORT_SCRIPTS })
  browsers.set(backForwardCache, started)
  const browser = await started
  const contexts: BrowserContext[] = []
  const newContext: Browser['newContext'] = async (options) => {
    // Service workers would answer in place of the service. Tests of them allow them.
    const context = await browser.newContext({ serviceWorkers: 'block', ...options })
    contexts.push(context)
    return context
  }
  return {
    newContext,
    newPage: async (options) => (await newContext(options)).newPage(),
    async close() {
      for (const context of contexts.splice(0)) await context.close()
    },
  }
}
