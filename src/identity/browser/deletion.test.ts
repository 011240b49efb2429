import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import {
  createClient,
  createUser,
  obtainTokens,
  signedInBrowser,
  submitSignIn,
  type TestUser,
} from '#test/authorization.ts'
import { eventually, PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { waitForLink } from '#test/mailbox.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import {
  cancelDeletion,
  deleteAccount,
  purgeAccounts,
  requestDeletion,
} from '../../accounts/deletion-queries.ts'
import { banAccount, unbanAccount } from '../../accounts/ban-queries.ts'
import { findAccount } from '../../accounts/queries.ts'
import { listEvents } from '../../audit/events.ts'

const ORIGIN = { language: 'en', address: '127.0.0.1' } as const
const SCOPE = 'openid offline_access user:read status:write'

describeOnDatabase('an account scheduled for deletion', (engine) => {
  let service: TestService
  let work: number
  before(async () => {
    service = await shareService(engine)
    work = first((await sampleWorks(service.db)).galgame)
  })
  after(() => service.close())

  async function createSignedInUser() {
    const user = await createUser(service)
    return { reader: user, browser: await signedInBrowser(service, user) }
  }
  async function submitDeletion({ user, browser }: { user: TestUser; browser: PlainBrowser }) {
    const page = await browser.get('/account/delete')
    return browser.press(page, '/account/delete', { current_password: user.password })
  }
  const amount = async (id: number) => {
    const { rows } = await sql<{ amount: number }>`
      select count(*)::integer as amount from ratings where account_id = ${id} and not hidden`.execute(
      service.db,
    )
    return rows[0]?.amount
  }
  const overdue = (id: number) =>
    sql`update accounts set deletion_requested_at = now() - interval '7 days' where id = ${id}`.execute(
      service.db,
    )

  it('shows its owner what is deleted and offers an export, and is then signed out, hidden and inaccessible to apps', async () => {
    const { reader: user, browser } = await createSignedInUser()
    const app = await createClient(service)
    const tokens = await obtainTokens(service, { app, user, scope: SCOPE })
    const call = (path = '') =>
      fetch(`${service.url}/v3/user/me${path}`, {
        headers: { authorization: `Bearer ${tokens.access_token}` },
      })
    const rated = await fetch(`${service.url}/v3/user/me/rates/galgames/${work}`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${tokens.access_token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ rate: 8, rate_content: 'To be seen by all.' }),
    })
    assert.equal(rated.status, 200)
    await sql`
      insert into public_profiles (account_id, is_shown) values (${user.id}, true)`.execute(
      service.db,
    )
    const profile = async () => (await fetch(`${service.url}/u/${user.id}`)).status
    assert.equal(await profile(), 200)
    const page = await browser.get('/account/delete')
    assert.match(page.text, /your ratings, reviews, votes and the whole history/)
    assert.match(page.text, /your collections/)
    assert.ok(page.text.indexOf('href="/account/data"') < page.text.indexOf('current_password'))

    const requested = await submitDeletion({ user, browser })
    assert.match(requested.text, /Your account will be deleted/)
    assert.match((await browser.get('/account')).url, /\/sign-in$/)
    assert.match(
      (await browser.get('/account/data')).url,
      /\/sign-in$/,
      'nor is its data given out',
    )
    assert.equal(await amount(user.id), 0)
    assert.equal(await profile(), 404)
    await eventually(async () => (await call()).status === 401, 'The refusal of the token')
    const refreshed = await fetch(`${service.url}/oidc/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${app.clientId}:${app.secret}`)}` },
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: String(tokens.refresh_token),
      }),
    })
    assert.equal(refreshed.status, 400)
    const { deletion_requested_at: at } = (await findAccount(service.db, user.id)) ?? {}
    assert.ok(at, 'it is still there')
    assert.equal(
      await requestDeletion(service.db, user.id, ORIGIN),
      false,
      'the week does not begin anew',
    )
    assert.deepEqual((await findAccount(service.db, user.id))?.deletion_requested_at, at)
  })

  it('is restored unchanged if the owner cancels the deletion at a sign-in within a week', async () => {
    const { reader: user, browser } = await createSignedInUser()
    await sql`
      insert into ratings (account_id, work_id, kind, rate, updated_at)
      values (${user.id}, ${work}, 'galgame', 7, now())`.execute(service.db)
    await submitDeletion({ user, browser })
    const question = await submitSignIn(browser, user)
    assert.match(question.url, /\/sign-in\/keep$/)
    assert.match(
      (await browser.get('/account')).url,
      /\/sign-in$/,
      'not signed in before the answer',
    )
    const stale = new PlainBrowser(service.url)
    for (const [name, value] of Object.entries(browser.cookies('/sign-in')))
      stale.setCookie(name, value)

    const afterLeaving = await browser.submit(question, { decision: 'leave' })
    assert.match(afterLeaving.url, /\/signed-out$/)
    assert.equal(await amount(user.id), 0)
    const repeated = await submitSignIn(browser, user)
    const afterKeeping = await browser.submit(repeated, { decision: 'keep' })
    assert.match(afterKeeping.url, /\/account$/)
    assert.equal(await amount(user.id), 1)
    assert.equal((await findAccount(service.db, user.id))?.deletion_requested_at, null)
    assert.deepEqual(
      (await listEvents(service.db, user.id, { limit: 3 })).map(({ kind }) => kind),
      ['sign_in', 'deletion_cancelled', 'deletion_requested'],
    )
    // The other browser's late reply to the earlier question has no effect.
    await submitDeletion({ user, browser })
    assert.match((await stale.get('/sign-in/keep')).url, /\/sign-in$/)
  })

  it('is purged once after a week, even by concurrent purges, unless the owner cancelled the deletion', async () => {
    const [due, early, afterKeeping] = [
      await createSignedInUser(),
      await createSignedInUser(),
      await createSignedInUser(),
    ]
    for (const one of [due, early, afterKeeping])
      await requestDeletion(service.db, one.reader.id, ORIGIN)
    await overdue(due.reader.id)
    await overdue(afterKeeping.reader.id)
    await cancelDeletion(service.db, afterKeeping.reader.id)
    // Simulates a purge that read the account before the cancellation.
    assert.equal(
      await deleteAccount(service.db, afterKeeping.reader.id, {}, { only: 'due' }),
      false,
    )
    const deleted = await Promise.all([1, 2, 3].map(() => purgeAccounts(service.db)))
    assert.equal(
      deleted.reduce((sum, number) => sum + number, 0),
      1,
    )
    assert.equal(await findAccount(service.db, due.reader.id), undefined)
    for (const { reader: user } of [early, afterKeeping])
      assert.ok(await findAccount(service.db, user.id))
    assert.equal(
      await deleteAccount(service.db, early.reader.id),
      true,
      'the operator need not wait',
    )
  })

  it('admits no sign-in that was already in progress', async () => {
    const { reader: user, browser } = await createSignedInUser()
    await requestDeletion(service.db, user.id, ORIGIN)
    // Simulates a sign-in that completes just after the request.
    await sql`
      insert into sessions (id_hash, uid, account_id, payload, expires_at)
      values (${`late-${user.id}`}, ${`late-${user.id}`}, ${user.id}, '{}', now() + interval '1 day')`.execute(
      service.db,
    )
    assert.match((await browser.get('/account')).url, /\/sign-in$/)
    await cancelDeletion(service.db, user.id)
    const { rows } = await sql`select 1 from sessions where account_id = ${user.id}`.execute(
      service.db,
    )
    assert.deepEqual(rows, [], 'nor afterwards')
  })

  it('stays hidden until it is neither banned nor scheduled for deletion', async () => {
    const { reader: user } = await createSignedInUser()
    await sql`
      insert into ratings (account_id, work_id, kind, rate, updated_at)
      values (${user.id}, ${work}, 'galgame', 7, now())`.execute(service.db)
    await requestDeletion(service.db, user.id, ORIGIN)
    await banAccount(service.db, user.id, 'advertising')
    await unbanAccount(service.db, user.id)
    assert.equal(await amount(user.id), 0)
    await banAccount(service.db, user.id, 'advertising')
    await cancelDeletion(service.db, user.id)
    assert.equal(await amount(user.id), 0)
    await unbanAccount(service.db, user.id)
    assert.equal(await amount(user.id), 1)
  })

  it('is restored once by the link in the email, which ends all other sessions', async () => {
    const { reader: user, browser } = await createSignedInUser()
    const attacker = await signedInBrowser(service, user)
    const link = new URL(await waitForLink(service.config.dataDir, user.email, '/not-me'))
    await submitDeletion({ user, browser: attacker })
    await sql`update accounts set email = ${`thief-${user.id}@example.com`} where id = ${user.id}`.execute(
      service.db,
    )

    const owner = new PlainBrowser(service.url)
    const page = await owner.get(link.pathname + link.search)
    assert.equal((await findAccount(service.db, user.id))?.email, `thief-${user.id}@example.com`)
    assert.match((await owner.submit(page)).text, /Email address restored/)
    assert.equal((await findAccount(service.db, user.id))?.email, user.email)
    assert.equal(
      (await submitSignIn(attacker, user)).status,
      422,
      'the old password no longer works',
    )
    assert.match((await browser.get('/account')).url, /\/sign-in$/)
    const reset = new URL(await waitForLink(service.config.dataDir, user.email, '/reset-password'))
    const choose = await owner.get(reset.pathname + reset.search)
    const question = await owner.submit(choose, { password: 'words nobody else knows' })
    assert.match(question.url, /\/sign-in\/keep$/)
    assert.match((await owner.submit(question, { decision: 'keep' })).url, /\/account$/)

    assert.equal((await owner.get(link.pathname + link.search)).status, 410)
    assert.equal((await owner.get(`/not-me?token=${'x'.repeat(43)}`)).status, 410)
    const forged = await owner.post('/not-me?token=x', { _csrf: 'x' })
    assert.equal(forged.status, 403)
  })
})
