import type { Page } from 'playwright-core'
import { authorizationRequest, createClient } from './authorization.ts'
import { startCallback } from './chromium.ts'
import { shareChromium, type TestBrowser } from './shared-chromium.ts'
import { freePort } from './free-port.ts'
import { startService, type TestApp, type TestService } from './service.ts'

/** Starts the provider on a host name, with an app that sends users to it, and a browser. */
export type SignInPages = {
  service: TestService
  app: TestApp
  callback: Awaited<ReturnType<typeof startCallback>>
  browser: TestBrowser
  /** Returns the URL to which an app sends a user. */
  request(parameters?: Record<string, string | undefined>): string
  close(): Promise<void>
}

export async function startSignInPages(): Promise<SignInPages> {
  // Passkeys require a host name instead of an IP address.
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

/** Fills and submits the sign-in form. */
export async function fillSignIn(
  page: Page,
  { email, password }: { email: string; password: string },
) {
  await page.fill('[name=email]', email)
  await page.fill('[name=password]', password)
  await page.click('form:has([name=password]) button')
}
