import type { BrowserContext, Page } from 'playwright-core'
import { savePreferences } from '../../src/accounts/preferences/queries.ts'
import { createUser, signedInBrowser, type TestUser } from './authorization.ts'
import type { TestService } from './service.ts'

/**
 * Signs a user in through a browser.
 *
 * @returns the `Cookie` header of their requests
 */
export async function signInCookie(
  service: TestService,
  { nsfw, name, user }: { nsfw: boolean; name?: string; user?: TestUser | undefined },
): Promise<string> {
  const known = user ?? (await createUser(service, name))
  await savePreferences(service.db, known.id, nsfw)
  return (await signedInBrowser(service, known)).cookieHeader()
}

/** Opens a page as a signed-in user who sees adult content. A new user has a long name. */
export async function openSignedInPage(
  service: TestService,
  context: BrowserContext,
  user?: TestUser,
): Promise<Page> {
  const name = 'Somebody with rather a long name'
  const cookie = await signInCookie(service, { nsfw: true, name, user })
  await context.addCookies(
    cookie.split('; ').map((pair) => {
      const [name = '', ...value] = pair.split('=')
      return { name, value: value.join('='), url: service.url }
    }),
  )
  return context.newPage()
}
