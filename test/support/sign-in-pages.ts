import type { Page } from 'playwright-core'
import { authorizationRequest, createClient } from './authorization.ts'
import { startCallback } from './chromium.ts'
import { shareChromium, type TestBrowser } from './shared-chromium.ts'
import { freePort } from './postgres.ts'
import { startService, type TestApp, type TestService } from './service.ts'

/** The provider at a name, an app that sends readers there, and a browser. */
export type SignInPages = {
  service: TestService
  app: TestApp
  callback: Awaited<ReturnType<typeof startCallback>>
  browser: TestBrowser
  /** The address an app sends a reader to. */
  request(parameters?: Record<string, string | undefined>): string
  close(): Promise<void>
}

export async function startSignInPages(): Promise<SignInPages> {
  // Passkeys belong to a name, not to an address.
  const port = String(await freePort())
  const service = await startService({
    environment: { PORT: port, AUTH_URL: `http://localhost:${port}` },
  })
  const callback = await startCallback()
  const app = await createClient(service, {
    applicationType: 'native',
    clientName: 'A library',
    redirectUris: [callback.url],
    clientUri: 'https://library.example',
  })
  const browser = await shareChromium()
  return {
    service,
    app,
    callback,
    browser,
    request: (parameters = {}) =>
      service.config.authUrl +
      authorizationRequest(app, { redirect_uri: callback.url, ...parameters }).path,
    async close() {
      await browser.close()
      await callback.close()
      await service.close()
    },
  }
}

/** Fills the form of the page that asks who somebody is, and sends it. */
export async function fillSignIn(
  page: Page,
  { email, password }: { email: string; password: string },
) {
  await page.fill('[name=email]', email)
  await page.fill('[name=password]', password)
  await page.click('form:has([name=password]) button')
}
