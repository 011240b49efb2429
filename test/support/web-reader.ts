import { savePreferences } from '../../src/accounts/preferences/queries.ts'
import { createReader } from './authorization.ts'
import { PlainBrowser } from './browser.ts'
import type { TestService } from './service.ts'

/** Somebody who is signed in with a browser. @returns the header `Cookie` of their requests */
export async function cookieOfReader(service: TestService, { nsfw }: { nsfw: boolean }): Promise<string> {
  const { id, email, password } = await createReader(service)
  await savePreferences(service.db, id, nsfw)
  const browser = new PlainBrowser(service.url)
  await browser.submit(await browser.get('/sign-in'), { email, password })
  return Object.entries(browser.cookies())
    .map(([name, value]) => `${name}=${value}`)
    .join('; ')
}
