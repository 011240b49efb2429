import type { PlainBrowser } from './browser.ts'
import type { accountFlows } from './account-flows.ts'

/** Password of new users. */
export const SIGN_UP_PASSWORD = 'a lantern in the attic'

let strangers = 0

/** Returns an unused email address. */
export const newEmail = () => `stranger-${(strangers += 1)}@example.org`

/** Fills and sends the sign-up form. */
export async function signUp(
  browser: PlainBrowser,
  email: string,
  fields: Record<string, string> = {},
  path = '/sign-up',
) {
  const form = await browser.get(path)
  return browser.submit(form, { email, name: 'Ryo', password: SIGN_UP_PASSWORD, ...fields })
}

type AccountFlows = Pick<ReturnType<typeof accountFlows>, 'newBrowser' | 'nextLink'>

/** Returns a function that signs up and follows the emailed link in the same browser. */
export const makeSignUp =
  ({ newBrowser, nextLink }: AccountFlows) =>
  async (email = newEmail()) => {
    const browser = newBrowser()
    await signUp(browser, email)
    const link = await nextLink(email)
    return { browser, email, link, page: await browser.get(link) }
  }
