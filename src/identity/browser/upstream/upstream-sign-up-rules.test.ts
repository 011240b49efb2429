import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { accountFlows } from '#test/account-flows.ts'
import { addAccount } from '#test/accounts.ts'
import {
  startForgedProvider,
  type ForgedProvider,
  type ProviderUser,
} from '#test/forged-provider.ts'
import { startService, type TestService } from '#test/service.ts'
import { approveAccount } from '../../../accounts/sign-up/approval-queries.ts'
import { createInvitation, revokeInvitation } from '../../../accounts/sign-up/invitation-queries.ts'

const ANN = { sub: 'ann', email: 'ann@example.org', email_verified: true, name: 'Ann' }

describe('sign-up through another provider', () => {
  let club: ForgedProvider
  let service: TestService
  before(async () => {
    club = await startForgedProvider()
  })
  afterEach(() => service.close())
  after(() => club.close())

  const flows = accountFlows(() => service)

  const start = async (environment: NodeJS.ProcessEnv) => {
    service = await startService({
      content: 'empty',
      environment: { UPSTREAM_PROVIDERS: 'club', ...club.settings('club'), ...environment },
    })
  }

  async function arrive(user: ProviderUser = ANN, path = '/sign-in') {
    const browser = flows.newBrowser()
    const page = await browser.get(path)
    const { location = '' } = await browser.press(page, '/sign-in/with/club')
    return { browser, page: await browser.get(club.signIn(location, user)) }
  }

  it('only connects existing accounts while sign-up is closed', async () => {
    await start({ SIGN_UP: 'closed' })
    const { browser, page } = await arrive()
    assert.ok(!page.forms.some(({ fields }) => 'name' in fields))
    const form = page.forms.find(({ action }) => action.startsWith('/sign-up/with'))
    assert.ok(form)
    const forged = await browser.submit(page, { email: ANN.email, name: 'Ann' }, form)
    assert.equal(forged.status, 403)
    assert.equal(await flows.accountOf(ANN.email), undefined)
    const password = 'a long enough one'
    await addAccount(service.db, { email: ANN.email, name: 'Ann', password })
    const signInPage = await browser.submit(page, { decision: 'connect' })
    const confirm = await browser.submit(signInPage, { email: ANN.email, password })
    const { pathname, search } = new URL(confirm.url)
    const done = await browser.press(confirm, pathname + search)
    assert.match(done.text, /Sign-in provider connected/)
  })

  it('requires an invitation if the setting does, and accepts it only once', async () => {
    await start({ SIGN_UP: 'invitation' })
    const { code } = await createInvitation(service.db, { note: '', uses: 1, days: 1 })
    const { browser, page } = await arrive()
    const refused = await browser.submit(page, { name: 'Ann', invitation: 'wrong' })
    assert.equal(refused.status, 422)
    assert.equal(await flows.accountOf(ANN.email), undefined)
    const done = await browser.submit(refused, { name: 'Ann', invitation: code })
    assert.equal(new URL(done.url).pathname, '/account/welcome')
    assert.ok((await flows.accountOf(ANN.email))?.invitation_id)
    const bob = await arrive({ ...ANN, sub: 'bob', email: 'bob@example.org' })
    const late = await bob.browser.submit(bob.page, { name: 'Bob', invitation: code })
    assert.equal(late.status, 422)
    assert.equal(await flows.accountOf('bob@example.org'), undefined)
  })

  it('keeps the invitation from a link during the sign-in at the provider', async () => {
    await start({ SIGN_UP: 'invitation' })
    const { id, code } = await createInvitation(service.db, { note: '', uses: 1, days: 1 })
    const link = `/sign-up?invitation=${code}`
    const { browser, page } = await arrive(ANN, link)
    assert.ok(!page.forms.some(({ fields }) => 'invitation' in fields))
    const flow = await service.db.selectFrom('upstream_flows').selectAll().executeTakeFirst()
    assert.equal(flow?.invitation_id, id)
    assert.ok(!JSON.stringify(flow).includes(code))
    const late = await arrive({ ...ANN, sub: 'bob', email: 'bob@example.org' }, link)
    const done = await browser.submit(page, { name: 'Ann' })
    assert.equal(new URL(done.url).pathname, '/account/welcome')
    assert.equal((await flows.accountOf(ANN.email))?.invitation_id, id)
    const refused = await late.browser.submit(late.page, { name: 'Bob' })
    assert.equal(refused.status, 422)
    assert.ok(refused.forms.some(({ fields }) => 'invitation' in fields))
  })

  it('asks for another code if the invitation from the link was revoked', async () => {
    await start({ SIGN_UP: 'approval' })
    const { id, code } = await createInvitation(service.db, { note: '', uses: 1, days: 1 })
    const { browser, page } = await arrive(ANN, `/sign-up?invitation=${code}`)
    assert.doesNotMatch(page.text, /approve/)
    await revokeInvitation(service.db, id)
    const again = await browser.get(page.url)
    assert.match(again.text, /approve/)
    const waiting = await browser.submit(again, { name: 'Ann' })
    assert.equal(new URL(waiting.url).pathname, '/sign-in/waiting')
  })

  it('keeps the invitation until the address is confirmed by email', async () => {
    await start({ SIGN_UP: 'invitation' })
    const { code } = await createInvitation(service.db, { note: '', uses: 1, days: 1 })
    const { browser, page } = await arrive({ ...ANN, email_verified: false })
    await browser.submit(page, { name: 'Ann', invitation: code })
    await browser.submit(await browser.get(await flows.nextLink(ANN.email)))
    assert.ok((await flows.accountOf(ANN.email))?.invitation_id)
  })

  it('requires approval if the setting does, unless the user has an invitation', async () => {
    await start({ SIGN_UP: 'approval' })
    const { browser, page } = await arrive()
    const waiting = await browser.submit(page, { name: 'Ann' })
    assert.equal(new URL(waiting.url).pathname, '/sign-in/waiting')
    const again = await arrive()
    assert.equal(new URL(again.page.url).pathname, '/sign-in/waiting')
    assert.ok(!(await flows.isSignedIn(again.browser)))
    const account = await flows.accountOf(ANN.email)
    assert.equal(await approveAccount(service.db, account?.id ?? 0), 'done')
    assert.ok(await flows.isSignedIn((await arrive()).browser))

    const { code } = await createInvitation(service.db, { note: '', uses: 1, days: 1 })
    const bob = await arrive({ ...ANN, sub: 'bob', email: 'bob@example.org' })
    const refused = await bob.browser.submit(bob.page, { name: 'Bob', invitation: 'wrong' })
    assert.equal(refused.status, 422)
    const done = await bob.browser.submit(refused, { name: 'Bob', invitation: code })
    assert.equal(new URL(done.url).pathname, '/account/welcome')
  })

  it('accepts only addresses at the listed domains, even if the provider has verified the address', async () => {
    await start({ SIGN_UP_MAIL_DOMAINS: 'example.com' })
    const { browser, page } = await arrive()
    const refused = await browser.submit(page, { name: 'Ann' })
    assert.equal(refused.status, 422)
    assert.equal(await flows.accountOf(ANN.email), undefined)
  })
})
