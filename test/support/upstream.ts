import assert from 'node:assert/strict'
import { after, before, beforeEach } from 'node:test'
import { accountFlows } from './account-flows.ts'
import { fillForm } from './account-pages.ts'
import { addAccount } from './accounts.ts'
import type { PlainBrowser, Visit } from './browser.ts'
import type { Engine } from './databases.ts'
import { startForgedProvider, type ForgedProvider, type ProviderUser } from './forged-provider.ts'
import { startService, type TestService } from './service.ts'

export const PROVIDERS_PATH = '/account/security/providers'
export const UPSTREAM_PASSWORD = 'a long enough one'

let users = 0
type UserWithEmail = ProviderUser & { email: string }

export const newUpstreamUser = (more: Partial<UserWithEmail> = {}): UserWithEmail => {
  users += 1
  const name = `user-${users}`
  return { sub: name, email: `${name}@example.org`, email_verified: true, name, ...more }
}

/** Prepares a suite of tests of sign-in through two providers, `club` and `other`. */
export function setUpUpstreamTest(engine: Engine) {
  let club: ForgedProvider
  let other: ForgedProvider
  let service: TestService
  before(async () => {
    ;[club, other] = await Promise.all([startForgedProvider(), startForgedProvider()])
    service = await startService({
      engine,
      environment: {
        UPSTREAM_PROVIDERS: 'club,other',
        ...club.settings('club', 'The Club'),
        ...other.settings('other'),
      },
    })
  })
  after(async () => {
    await service?.close()
    await club?.close()
    await other?.close()
  })
  beforeEach(async () => {
    club.lie({})
    await service.db.deleteFrom('attempts').execute()
  })

  const flows = accountFlows(() => service)
  const { newBrowser, accountOf } = flows

  /** Presses the button of a provider. @returns the visit that ends with the redirect to it */
  async function start(browser: PlainBrowser, path = '/sign-in', provider = 'club') {
    const page = await browser.get(path)
    const form = page.forms.find(({ action }) => action.startsWith(`/sign-in/with/${provider}`))
    assert.ok(form, `no button for ${provider} in:\n${page.text}`)
    return browser.submit(page, {}, form)
  }

  /** Follows the redirect to the provider, and signs in there. @returns the URL of the callback */
  const signInAt = (visit: Visit, user: ProviderUser, provider = club) => {
    const { location = '' } = visit
    assert.ok(location.startsWith(provider.issuer), `${visit.status} ${visit.text}`)
    return provider.signIn(location, user)
  }

  /** Signs in through the club in a browser. */
  const arrive = async (user: ProviderUser, browser = newBrowser(), path = '/sign-in') => {
    const callback = signInAt(await start(browser, path), user)
    return { browser, callback, page: await browser.get(callback) }
  }

  /** Creates an account through the club. */
  async function signUp(user = newUpstreamUser(), path?: string) {
    const { browser, page } = await arrive(user, newBrowser(), path)
    const done = await browser.submit(page, { name: user.name ?? 'Ryo' })
    const account = await accountOf(user.email)
    assert.ok(account, done.text)
    return { browser, user, done, account }
  }

  const identitiesOf = (accountId: number) =>
    service.db
      .selectFrom('upstream_identities')
      .select(['issuer', 'subject'])
      .where('account_id', '=', accountId)
      .execute()

  /** Makes the address one that was confirmed by email. */
  const confirmAddress = (accountId: number) =>
    service.db
      .updateTable('upstream_identities')
      .set({ vouches_for_email: false })
      .where('account_id', '=', accountId)
      .execute()

  const addUser = async (email = newUpstreamUser().email) => ({
    email,
    id: await addAccount(service.db, { email, name: 'Ryo', password: UPSTREAM_PASSWORD }),
  })

  const signInWithPassword = async (email: string) =>
    (await flows.signIn({ email, password: UPSTREAM_PASSWORD })).browser

  /** Connects the club on the account page. */
  async function connect(
    browser: PlainBrowser,
    user: ProviderUser,
    fields: Record<string, string>,
  ) {
    const path = `${PROVIDERS_PATH}/change?issuer=${encodeURIComponent(club.issuer)}`
    const visit = await fillForm(browser, path, fields, `${PROVIDERS_PATH}/connect`)
    return visit.location === undefined ? visit : browser.get(signInAt(visit, user))
  }

  const disconnect = (browser: PlainBrowser, fields: Record<string, string> = {}) =>
    fillForm(
      browser,
      `${PROVIDERS_PATH}/change?issuer=${encodeURIComponent(club.issuer)}`,
      fields,
      `${PROVIDERS_PATH}/disconnect`,
    )

  return {
    ...flows,
    get club() {
      return club
    },
    get other() {
      return other
    },
    get service() {
      return service
    },
    start,
    signInAt,
    arrive,
    signUp,
    identitiesOf,
    confirmAddress,
    addUser,
    signInWithPassword,
    connect,
    disconnect,
  }
}
