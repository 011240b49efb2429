import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { csrfToken } from '#test/account-pages.ts'
import { accountFlows } from '#test/account-flows.ts'
import {
  authorizationRequest,
  authorizationResponse,
  createClient,
  createUser,
  obtainTokens,
  postToProvider,
  refresh,
  signedInAs,
  signedInBrowser,
} from '#test/authorization.ts'
import type { PlainBrowser, Visit } from '#test/browser.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { startService, type TestService } from '#test/service.ts'
import { newEmail, SIGN_UP_PASSWORD, signUp } from '#test/sign-ups.ts'
import { banAccount } from '../../accounts/ban-queries.ts'
import { deleteAccount, purgeAccounts } from '../../accounts/deletion-queries.ts'
import { findAccount } from '../../accounts/queries.ts'
import { setRole } from '../../accounts/role-queries.ts'
import { approveAccount, declineAccount } from '../../accounts/sign-up/approval-queries.ts'
import { createInvitation } from '../../accounts/sign-up/invitation-queries.ts'
import { recordSignIn } from '../../accounts/sign-in/sign-in-queries.ts'

const CONTACT = 'mailto:mokuroku@localhost'

describe('sign-up by approval', () => {
  let database: TestDatabase
  let service: TestService
  let open: TestService
  let admin: PlainBrowser
  let adminEmail: string
  before(async () => {
    database = await createDatabase('server', 'empty')
    service = await startService({ database, environment: { SIGN_UP: 'approval' } })
    open = await startService({ database })
    ;({ email: adminEmail, browser: admin } = await signedInAs(service, 'ADMIN'))
  })
  after(async () => {
    await service.close()
    await open.close()
    await database.remove()
  })
  // All tests use one client address.
  beforeEach(() => service.db.deleteFrom('attempts').execute())

  const flows = accountFlows(() => service)
  const { newBrowser, accountOf, eventsOf, isSignedIn, nextLink, mailsTo } = flows
  const pathOf = (link: string) => new URL(link).pathname + new URL(link).search
  const isWaitingPage = ({ url, text }: Visit) =>
    new URL(url).pathname === '/sign-in/waiting' && text.includes('<h1>Waiting for approval</h1>')

  /** Signs up and confirms the address. */
  async function apply(fields: Record<string, string> = {}, headers = {}) {
    const browser = newBrowser()
    Object.assign(browser.headers, headers)
    const email = newEmail()
    await signUp(browser, email, fields)
    const page = await browser.submit(await browser.get(pathOf(await nextLink(email))))
    const account = await accountOf(email)
    assert.ok(account)
    return { browser, email, page, id: account.id }
  }
  const signIn = (email: string, browser = newBrowser()) =>
    flows.signIn({ email, password: SIGN_UP_PASSWORD }, browser)
  const decide = async (ids: number[], decision: 'approve' | 'decline', note = '') => {
    const body = new URLSearchParams({ _csrf: await csrfToken(admin), note, decision })
    for (const id of ids) body.append('account', String(id))
    return admin.post('/desk/accounts/waiting', body)
  }

  it('does not sign a new user in, but shows a page that says the account awaits approval', async () => {
    const { browser, email, page, id } = await apply()
    assert.ok(isWaitingPage(page), page.text)
    assert.match(page.text, /Ryo/)
    assert.ok(page.text.includes(email))
    assert.ok(!(await isSignedIn(browser)))
    assert.deepEqual(await eventsOf(id), ['sign_up'])
    assert.ok(isWaitingPage(await browser.get('/sign-in/waiting')), 'it can be reloaded')
    assert.equal((await newBrowser().get('/sign-in/waiting')).forms[0]?.action, '/sign-in')

    const { browser: other, visit } = await signIn(email)
    assert.ok(isWaitingPage(visit))
    assert.ok(!(await isSignedIn(other)))
    assert.equal(new URL((await other.get('/account/security')).url).pathname, '/sign-in')
    const sessions = await service.db
      .selectFrom('sessions')
      .where('account_id', '=', id)
      .selectAll()
      .execute()
    assert.deepEqual(sessions, [])
  })

  it('shows the usual error for a wrong password', async () => {
    const { email } = await apply()
    const { visit } = await flows.signIn({ email, password: 'not this one at all' })
    assert.equal(visit.status, 422)
    assert.ok(!visit.text.includes('approval'))
  })

  it('gives apps and devices no tokens before approval, and lets the user return to the app', async () => {
    const { email } = await apply()
    const app = await createClient(service, { clientName: 'Shelf' })
    const browser = newBrowser()
    const form = await browser.get(authorizationRequest(app).path)
    const page = await browser.submit(form, { email, password: SIGN_UP_PASSWORD })
    assert.ok(isWaitingPage(page))
    const back = await browser.submit(
      page,
      { decision: 'deny' },
      page.forms.find(({ action }) => action.startsWith('/interaction/')),
    )
    assert.equal(authorizationResponse(back).get('error'), 'access_denied')

    const device = await createClient(service, {
      clientType: 'public',
      applicationType: 'native',
      redirectUris: [],
    })
    const { body } = await postToProvider(`${service.url}/oidc/device/auth`, {
      client_id: device.clientId,
      scope: 'openid catalog:read',
    })
    const other = newBrowser()
    let visit = await other.get(String(body['verification_uri_complete']))
    for (
      let step = 0;
      step < 3 && !visit.forms.some(({ action }) => action.startsWith('/sign-in?'));
      step += 1
    )
      visit = await other.submit(visit)
    assert.ok(isWaitingPage(await other.submit(visit, { email, password: SIGN_UP_PASSWORD })))
    const grants = await service.db.selectFrom('grants').selectAll().execute()
    assert.deepEqual(grants, [])
  })

  it('starts no session after a password reset', async () => {
    const { email, id } = await apply()
    const browser = newBrowser()
    await flows.askReset(browser, email)
    const link = await nextLink(email, 2)
    const page = await browser.submit(await browser.get(pathOf(link)), {
      password: 'another long one',
    })
    assert.ok(isWaitingPage(page), page.text)
    assert.ok(!(await isSignedIn(browser)))
    assert.ok((await findAccount(service.db, id))?.approval_requested_at)
  })

  it('is enforced by the statement that stores a session', async () => {
    const { id } = await apply()
    const account = await findAccount(service.db, id)
    assert.ok(account)
    const session = {
      id: 'x'.repeat(43),
      uid: 'y'.repeat(43),
      payload: '{}',
      lifetimeSeconds: 60,
      isNew: true,
      signedInFor: undefined,
    }
    const origin = { address: '127.0.0.1', userAgent: '' }
    const signedIn = {
      origin,
      methods: ['pwd'],
      language: 'en',
      device: undefined,
      session,
    } as const
    assert.equal(
      await recordSignIn(service.db, account, { ...signedIn, methods: ['pwd'] }),
      undefined,
    )
  })

  it('rejects existing sessions and refresh tokens of a waiting account', async () => {
    const user = await createUser(service)
    const app = await createClient(service)
    const browser = await signedInBrowser(service, user)
    const { refresh_token: token = '' } = await obtainTokens(service, {
      app,
      user,
      browser,
      scope: 'openid offline_access catalog:read',
      prompt: 'consent',
    })
    await service.db
      .updateTable('accounts')
      .set({ approval_requested_at: new Date(), approval_language: 'en' })
      .where('id', '=', user.id)
      .execute()
    assert.equal((await refresh(service, app, token)).body['error'], 'invalid_grant')
    assert.equal(new URL((await browser.get('/account')).url).pathname, '/sign-in')
    const { path } = authorizationRequest(app)
    assert.equal(new URL((await browser.get(path)).url).pathname, '/sign-in')
    await deleteAccount(service.db, user.id)
  })

  it('lists waiting accounts in pages of 100, oldest first', async () => {
    const add = sql`
      insert into accounts (email, name, approval_requested_at, approval_language)
      select 'queued-' || n || '@example.org', 'Queued', timestamp '2000-01-01' + n * interval '1 second', 'en'
      from generate_series(1, 101) n`
    await add.execute(service.db)
    try {
      const first = await admin.get('/desk/accounts?q=nothing')
      assert.ok(first.text.includes('queued-1@') && first.text.includes('queued-100@'))
      assert.ok(!first.text.includes('queued-101@'))
      const [, next = ''] = /href="([^"]+)" rel="next"/.exec(first.text) ?? []
      const second = await admin.get(next.replaceAll('&amp;', '&'))
      assert.equal(new URL(second.url).search, '?q=nothing&page=2')
      assert.ok(second.text.includes('queued-101@') && !second.text.includes('queued-100@'))
      assert.equal((await admin.get('/desk/accounts?page=0')).status, 422)
    } finally {
      await service.db.deleteFrom('accounts').where('name', '=', 'Queued').execute()
    }
  })

  it('can be decided for several accounts at once, and skips those that no longer exist', async () => {
    const [first, second, gone] = [
      await apply(),
      await apply({}, { 'accept-language': 'ja' }),
      await apply(),
    ]
    await admin.get('/desk/accounts')
    const list = await admin.get('/desk/accounts')
    for (const { email } of [first, second, gone]) assert.ok(list.text.includes(email))
    await deleteAccount(service.db, gone.id)
    const done = await decide([first.id, second.id, gone.id], 'approve')
    assert.match(done.text, /Some of these accounts had already been approved, declined or deleted/)
    await allSentNow()
    const mail = mailsTo(first.email).at(-1)
    assert.equal(mail?.subject, 'mokuroku: Your account was approved')
    assert.equal(mail?.link, `${service.url}/sign-in`)
    assert.match(mailsTo(second.email).at(-1)?.text ?? '', /アカウントが承認されました/)
    const { browser } = await signIn(first.email)
    assert.ok(await isSignedIn(browser))
    assert.deepEqual(await eventsOf(first.id), ['sign_up', 'sign_up_approved', 'sign_in'])
    // The page that was open reloads to the sign-in.
    assert.equal(new URL((await first.browser.get('/sign-in/waiting')).url).pathname, '/sign-in')
    assert.match((await decide([first.id], 'approve')).text, /Someone else has already done this/)
  })

  it('can be declined only with a reason, and can still be granted for a week after that', async () => {
    const { email, id } = await apply()
    assert.equal((await decide([id], 'decline')).status, 422, 'a reason is required')
    assert.equal((await decide([], 'approve')).status, 422)
    const done = await decide([id], 'decline', 'Not a <member>.')
    assert.match(done.text, /Declined\. The owners have been notified/)
    await allSentNow()
    const mail = mailsTo(email).at(-1)
    assert.equal(mail?.subject, 'mokuroku: Your account was not approved')
    assert.match(mail?.text ?? '', /Not a <member>\./)
    const { visit } = await signIn(email)
    assert.match(visit.text, /<h1>Your account was not approved<\/h1>/)
    assert.match(visit.text, /Not a &lt;member&gt;\./)
    assert.match((await admin.get(`/desk/accounts/${id}`)).text, /<strong>declined<\/strong>/)
    assert.match((await decide([id], 'decline', 'Again.')).text, /Someone else has already/)

    const declinedAt = (days: number) =>
      service.db
        .updateTable('accounts')
        .set({ declined_at: new Date(Date.now() - days * 86_400_000) })
        .where('id', '=', id)
        .execute()
    await declinedAt(6.9)
    await purgeAccounts(service.db)
    assert.ok(await findAccount(service.db, id))
    assert.equal(await approveAccount(service.db, id), 'done')
    assert.ok(await isSignedIn((await signIn(email)).browser))

    const other = await apply()
    await declineAccount(service.db, other.id, { reason: 'No.', contact: CONTACT })
    await service.db
      .updateTable('accounts')
      .set({ declined_at: new Date(Date.now() - 7.1 * 86_400_000) })
      .where('id', '=', other.id)
      .execute()
    await purgeAccounts(service.db)
    assert.equal(await findAccount(service.db, other.id), undefined)
  })

  it('lets the user delete the account while it waits, but not once it is approved', async () => {
    const first = await apply()
    const button = first.page.forms.find(({ action }) => action === '/sign-in/waiting')
    assert.ok(button)
    await first.browser.submit(first.page, { decision: 'delete' }, button)
    assert.equal(await findAccount(service.db, first.id), undefined)

    const second = await apply()
    await approveAccount(service.db, second.id)
    await second.browser.submit(second.page, { decision: 'delete' }, button)
    assert.ok(await findAccount(service.db, second.id))
    assert.equal(await deleteAccount(service.db, second.id, {}, { only: 'waiting' }), false)
  })

  it('is skipped with a valid invitation', async () => {
    const { code, id: invitation } = await createInvitation(service.db, {
      note: '',
      uses: 1,
      days: 1,
    })
    const invited = await apply({ invitation: code })
    assert.ok(await isSignedIn(invited.browser))
    assert.equal((await accountOf(invited.email))?.invitation_id, invitation)
    const bad = await signUp(newBrowser(), newEmail(), { invitation: code })
    assert.equal(bad.status, 422)
  })

  it('applies to sign-ups that began before the setting changed', async () => {
    const email = newEmail()
    await signUp(accountFlows(() => open).newBrowser(), email)
    const browser = newBrowser()
    const confirm = await browser.get(pathOf(await nextLink(email)))
    assert.ok(isWaitingPage(await browser.submit(confirm, { password: SIGN_UP_PASSWORD })))
  })

  it('gives no role to a waiting account, and shows the reason if the account is banned', async () => {
    const { email, id } = await apply()
    assert.deepEqual(await setRole(service.db, id, 'ADMIN'), { outcome: 'waiting' })
    const page = await admin.get(`/desk/accounts/${id}`)
    const refused = await admin.press(page, `/desk/accounts/${id}/role`, {
      role: 'ADMIN',
      note: 'Trusted.',
    })
    assert.equal(refused.status, 409)
    assert.match(refused.text, /Approve the account first/)
    await banAccount(service.db, id, 'Spam.')
    const { visit } = await signIn(email)
    assert.equal(visit.status, 403)
    assert.match(visit.text, /Spam\./)
  })

  it('notifies administrators by email at most once an hour', async () => {
    await allSentNow()
    await service.db.deleteFrom('installation').where('name', '=', 'approval_notice').execute()
    await service.db.deleteFrom('mails').execute()
    const count = () =>
      mailsTo(adminEmail).filter(
        ({ subject }) => subject === 'mokuroku: Accounts are waiting for approval',
      ).length
    const sentBefore = count()
    await apply()
    await allSentNow()
    assert.equal(count(), sentBefore + 1)
    const later = [await apply(), await apply(), await apply()]
    await allSentNow()
    assert.equal(count(), sentBefore + 1)
    const queued = await service.db
      .selectFrom('mails')
      .select(['next_attempt_at', 'email'])
      .where('kind', '=', 'sign_ups_waiting')
      .execute()
    assert.deepEqual(
      queued.map(({ email }) => email),
      [adminEmail],
    )
    const minutes = ((queued[0]?.next_attempt_at.getTime() ?? 0) - Date.now()) / 60_000
    assert.ok(minutes > 58 && minutes <= 60, String(minutes))

    // Decided by then, so the email is dropped.
    const waiting = await service.db
      .selectFrom('accounts')
      .select('id')
      .where('approval_requested_at', 'is not', null)
      .execute()
    for (const { id } of waiting) await approveAccount(service.db, id)
    assert.ok(waiting.length >= later.length)
    await service.db.updateTable('mails').set({ next_attempt_at: new Date() }).execute()
    await allSentNow()
    assert.equal(count(), sentBefore + 1)
  })

  /** Waits until every email that is due has been sent. */
  async function allSentNow() {
    for (let tries = 0; tries < 200; tries += 1) {
      const due = await service.db
        .selectFrom('mails')
        .select('id')
        .where('next_attempt_at', '<=', new Date(Date.now() + 30 * 60_000))
        .execute()
      if (due.length === 0) return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    assert.fail('emails were not sent')
  }
})
