import assert from 'node:assert/strict'
import { findAccount } from '../../src/accounts/queries.ts'
import { listEvents } from '../../src/audit/events.ts'
import { saveConsent } from '../../src/identity/provider/storage/consent-queries.ts'
import { addAccount } from './accounts.ts'
import { submitSignIn } from './authorization.ts'
import { formTo, PlainBrowser } from './browser.ts'
import type { TestService } from './service.ts'

/** Password of all users in the account page tests. */
export const PASSWORD = 'a long enough one'
/** Hostile text for names and other fields. */
export const HOSTILE = `"><script>alert(1)</script>'`

/** Opens a page and sends its form. */
export const fillForm = async (
  browser: PlainBrowser,
  path: string,
  filled: Record<string, string>,
  action = path,
) => browser.press(await browser.get(path), action, filled)

/** Returns the token of a signed-in user's forms. */
export const csrfToken = async (browser: PlainBrowser) =>
  formTo(await browser.get('/account'), '/account/sign-out').fields['_csrf'] ?? ''

let userCount = 0

/** Returns helpers for tests of the account pages. */
export function accountPages(service: TestService) {
  async function signIn(email: string, headers: Record<string, string> = {}) {
    const browser = new PlainBrowser(service.url)
    Object.assign(browser.headers, headers)
    const visit = await submitSignIn(browser, { email, password: PASSWORD })
    assert.equal(new URL(visit.url).pathname, '/account')
    return browser
  }
  return {
    signIn,
    async createSignedInUser(name = 'Ryo') {
      userCount += 1
      const email = `person-${userCount}@example.com`
      const id = await addAccount(service.db, { email, name, password: PASSWORD })
      return { id, email, browser: await signIn(email) }
    },
    async account(id: number) {
      const found = await findAccount(service.db, id)
      assert.ok(found)
      return found
    },
    /** Returns the kinds of the account's events, newest first. */
    eventKinds: async (id: number) =>
      (await listEvents(service.db, id, { limit: 50 })).map(({ kind }) => kind),
    async addPasskey(id: number, name = 'Phone') {
      const credential_id = `credential-of-${id}`
      await service.db
        .insertInto('passkeys')
        .values({ credential_id, account_id: id, name, public_key: 'AAAA', transports: '[]' })
        .execute()
      return credential_id
    },
    async createAppWithConsent(id: number, clientName = 'Shelf') {
      const app = await service.createApp({ clientName, scopes: ['catalog:read', 'user:read'] })
      await saveConsent(service.db, id, app.clientId, ['openid', 'user:read', 'catalog:read'])
      return app
    },
  }
}
