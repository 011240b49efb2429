import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { accountFlows } from '#test/account-flows.ts'
import { signedInAs } from '#test/authorization.ts'
import { csrfTokenOf, type PlainBrowser } from '#test/browser.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { startService, type TestService } from '#test/service.ts'
import { spawnService, type ServiceProcess } from '#test/service-process.ts'
import { newEmail, SIGN_UP_PASSWORD, signUp } from '#test/sign-ups.ts'
import { hashPassword } from '../../accounts/credentials/passwords.ts'
import { createLink } from '../../accounts/mail/link-queries.ts'
import {
  createInvitation,
  listInvitations,
  revokeInvitation,
} from '../../accounts/sign-up/invitation-queries.ts'

describe('sign-up by invitation', () => {
  let database: TestDatabase
  let service: TestService
  let open: TestService
  let other: ServiceProcess
  let passwordHash: string
  before(async () => {
    database = await createDatabase('server', 'empty')
    const environment = { SIGN_UP: 'invitation', TOKEN_REQUESTS_PER_MINUTE: '1000000' }
    service = await startService({ database, environment })
    open = await startService({ database })
    other = await spawnService({
      DATABASE_URL: database.databaseUrl,
      DATA_DIR: database.dataDir,
      ...environment,
    })
    passwordHash = await hashPassword(SIGN_UP_PASSWORD)
  })
  after(async () => {
    await other?.stop()
    await service.close()
    await open.close()
    await database.remove()
  })
  // All tests use one client address.
  beforeEach(() => service.db.deleteFrom('attempts').execute())

  const { newBrowser, accountOf, eventsOf, nextLink, allSent, mailsTo } = accountFlows(
    () => service,
  )
  const invite = (uses = 1) => createInvitation(service.db, { note: 'club', uses, days: 7 })
  const invitationOf = async (id: number) =>
    (await listInvitations(service.db)).find((item) => item.id === id)
  const pathOf = (link: string) => new URL(link).pathname + new URL(link).search
  const confirm = async (browser: PlainBrowser, path: string) =>
    browser.submit(await browser.get(path), { password: SIGN_UP_PASSWORD })

  /** Creates the confirmation link of a sign-up, without its email. */
  const linkOf = async (invitation: number, email = newEmail()) => {
    const token = await createLink(service.db, {
      purpose: 'sign_up',
      email,
      name: 'Ryo',
      password_hash: passwordHash,
      invitation_id: invitation,
    })
    return `/sign-up/confirm?token=${token}`
  }

  /** Confirms links at once, in two processes. @returns the statuses of the responses */
  async function confirmAll(paths: string[]): Promise<number[]> {
    const browserAt = async (site: string) => {
      const browser = newBrowser()
      const page = await browser.get('/sign-up')
      return { site, cookie: browser.cookieHeader(), csrf: csrfTokenOf(page) }
    }
    const here = await browserAt(service.url)
    const there = await browserAt(other.url)
    return Promise.all(
      paths.map(async (path, index) => {
        const { site, cookie, csrf } = index % 2 === 0 ? here : there
        const response = await fetch(site + path, {
          method: 'POST',
          redirect: 'manual',
          headers: { origin: site, cookie },
          body: new URLSearchParams({ password: SIGN_UP_PASSWORD, _csrf: csrf }),
        })
        await response.arrayBuffer()
        return response.status
      }),
    )
  }

  it('creates an account through a link, which is then used up', async () => {
    const { id, code } = await invite()
    const path = `/sign-up?invitation=${code}`
    const email = newEmail()
    const browser = newBrowser()
    const form = await browser.get(path)
    assert.equal(form.forms[0]?.fields['invitation'], code)
    await signUp(browser, email, {}, path)
    assert.equal((await invitationOf(id))?.used, 0, 'a form consumes nothing')

    // In another browser, which does not know the invitation.
    await confirm(newBrowser(), pathOf(await nextLink(email)))
    const account = await accountOf(email)
    assert.equal(account?.invitation_id, id)
    assert.deepEqual(await eventsOf(account.id), ['sign_up', 'sign_in'])
    const invitation = await invitationOf(id)
    assert.deepEqual([invitation?.used, invitation?.state], [1, 'used'])
    assert.deepEqual(
      invitation?.accounts.map((item) => item.id),
      [account.id],
    )

    const late = await newBrowser().get(path)
    assert.equal(late.status, 422)
    assert.match(late.text, /id="invitation-error">This invitation isn’t valid/)
  })

  it('accepts the whole link as the code', async () => {
    const { code } = await invite()
    const email = newEmail()
    const invitation = ` ${service.url}/sign-up?invitation=${code} `
    assert.equal((await signUp(newBrowser(), email, { invitation })).status, 200)
    await nextLink(email)
  })

  it('sends no email without a valid code', async () => {
    const { code: revoked, id } = await invite()
    await revokeInvitation(service.db, id)
    const { code } = await invite()
    const email = newEmail()
    for (const invitation of [
      '',
      'guess',
      revoked,
      code.slice(1),
      `${code}x`,
      code.toLowerCase(),
    ]) {
      const page = await signUp(newBrowser(), email, { invitation })
      assert.equal(page.status, 422, invitation)
      assert.match(page.text, /id="invitation-error"/)
    }
    await allSent()
    assert.deepEqual(mailsTo(email), [])
  })

  it('stores only the hash of a code, and logs none', async () => {
    const { id, code } = await invite()
    await signUp(newBrowser(), newEmail(), {}, `/sign-up?invitation=${code}`)
    await allSent()
    const [row] = await service.db
      .selectFrom('invitations')
      .selectAll()
      .where('id', '=', id)
      .execute()
    assert.ok(!JSON.stringify(row).includes(code))
    assert.ok(!JSON.stringify(service.logged).includes(code))
    await fetch(`${other.url}/sign-up?invitation=${code}`)
    assert.ok(!other.output().includes(code))
  })

  it('does not use up the invitation for an address that already has an account', async () => {
    const { id } = await invite(2)
    const email = newEmail()
    const paths = [await linkOf(id, email), await linkOf(id, email)]
    assert.deepEqual((await confirmAll(paths)).toSorted(), [303, 409])
    assert.equal((await invitationOf(id))?.used, 1)
  })

  it('admits exactly as many accounts as the invitation allows, even across two processes', async () => {
    const { id } = await invite(20)
    const paths = await Promise.all(Array.from({ length: 50 }, () => linkOf(id)))
    const statuses = await confirmAll(paths)
    assert.equal(statuses.filter((status) => status === 303).length, 20)
    assert.equal(statuses.filter((status) => status === 403).length, 30)
    const invitation = await invitationOf(id)
    assert.deepEqual([invitation?.used, invitation?.accounts.length], [20, 20])
  })

  it('admits no account once the invitation is revoked, even in the middle of sign-ups', async () => {
    const { id } = await invite(100)
    const paths = await Promise.all(Array.from({ length: 20 }, () => linkOf(id)))
    const [statuses] = await Promise.all([confirmAll(paths), revokeInvitation(service.db, id)])
    const admitted = statuses.filter((status) => status === 303).length
    const { used, accounts, state } = (await invitationOf(id)) ?? {}
    assert.deepEqual([used, accounts?.length, state], [admitted, admitted, 'revoked'])
    assert.deepEqual(await confirmAll([await linkOf(id)]), [403])
  })

  it('admits no account while the invitation is expired, but keeps the confirmation link usable', async () => {
    const { id } = await invite()
    const email = newEmail()
    const path = await linkOf(id, email)
    const expires = (expires_at: Date) =>
      service.db.updateTable('invitations').set({ expires_at }).where('id', '=', id).execute()
    await expires(new Date(0))
    const refused = await confirm(newBrowser(), path)
    assert.equal(refused.status, 403)
    assert.match(refused.text, /<h1>You need an invitation<\/h1>/)
    assert.equal(await accountOf(email), undefined)
    await expires(new Date(Date.now() + 60_000))
    await confirm(newBrowser(), path)
    assert.ok(await accountOf(email))
  })

  it('depends on the setting at the time of the confirmation, not of the request', async () => {
    const uninvited = newEmail()
    await signUp(accountFlows(() => open).newBrowser(), uninvited)
    const refused = await confirm(newBrowser(), pathOf(await nextLink(uninvited)))
    assert.equal(refused.status, 403)
    assert.equal(await accountOf(uninvited), undefined)

    const { id, code } = await invite()
    const invited = newEmail()
    await signUp(newBrowser(), invited, { invitation: code })
    await confirm(accountFlows(() => open).newBrowser(), pathOf(await nextLink(invited)))
    assert.equal((await accountOf(invited))?.invitation_id, id)
  })

  it('is managed at the desk', async () => {
    const { browser: admin } = await signedInAs(service, 'ADMIN')
    const list = await admin.get('/desk/invitations')
    const bad = await admin.submit(list, { uses: '0', days: '7', note: '' })
    assert.equal(bad.status, 422)
    assert.match(bad.text, /Enter 1 to 10,000 uses/)
    const created = await admin.submit(list, { uses: '3', days: '7', note: '<b>club</b>' })
    assert.equal(created.status, 200)
    assert.match(created.headers.get('cache-control') ?? '', /no-store/)
    const { length } = await listInvitations(service.db)
    const reloaded = await admin.submit(list, { uses: '3', days: '7', note: '<b>club</b>' })
    assert.equal(reloaded.status, 409)
    assert.match(reloaded.text, /An invitation was created after you opened this form/)
    assert.equal((await listInvitations(service.db)).length, length)
    const [, code = ''] = /\/sign-up\?invitation=([\w-]{43})/.exec(created.text) ?? []
    const email = newEmail()
    await signUp(newBrowser(), email, { invitation: code })
    await confirm(newBrowser(), pathOf(await nextLink(email)))
    const account = await accountOf(email)

    const after = await admin.get('/desk/invitations')
    assert.ok(!after.text.includes(code))
    assert.match(after.text, /&lt;b&gt;club&lt;\/b&gt;/)
    assert.match(after.text, new RegExp(`href="/desk/accounts/${account?.id}">Ryo<`))
    const [newest] = await listInvitations(service.db)
    const revoked = await admin.press(after, `/${newest?.id}/revoke`)
    assert.match(revoked.text, /Invitation revoked/)
    assert.equal((await invitationOf(newest?.id ?? 0))?.state, 'revoked')
    assert.match((await admin.get('/desk/log')).text, /Invitation revoked/)

    const form = await admin.get('/desk/invitations')
    const attempts = Array.from({ length: 5 }, () =>
      admin.submit(form, { uses: '1', days: '7', note: 'at once' }),
    )
    const statuses = (await Promise.all(attempts)).map(({ status }) => status)
    assert.deepEqual(statuses.toSorted(), [200, 409, 409, 409, 409])
    const made = await listInvitations(service.db)
    assert.equal(made.filter(({ note }) => note === 'at once').length, 1)
  })
})
