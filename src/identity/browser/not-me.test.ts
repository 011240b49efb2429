import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createClient, createUser, obtainTokens, signedInBrowser } from '#test/authorization.ts'
import { eventually, PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { waitForLink } from '#test/mailbox.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { finishEmailChange } from '../../accounts/mail/finish-links.ts'
import { createLink, findLink } from '../../accounts/mail/link-queries.ts'
import { findAccount } from '../../accounts/queries.ts'
import { listOwnApps, updateOwnApp } from '../../apps/owner-queries.ts'

const SCOPE = 'openid offline_access user:read'

describeOnDatabase('the “not me” page', (engine) => {
  let service: TestService
  before(async () => (service = await shareService(engine)))
  after(() => service.close())

  const path = (link: string) => new URL(link).pathname + new URL(link).search

  it('lists what it removes, removes it, restores the email address and sends a link for a new password', async () => {
    const user = await createUser(service)
    const [trusted, stolen] = [
      await createClient(service, { clientName: 'Trusted app' }),
      await createClient(service, { clientName: 'Stolen app' }),
    ]
    const own = await service.createApp({ accountId: user.id, clientName: 'Own app' })
    const ownTokens = await obtainTokens(service, {
      app: trusted,
      user,
      scope: SCOPE,
      prompt: 'consent',
    })
    const attacker = await signedInBrowser(service, user)
    const attackerEmail = `thief-${user.id}@example.org`
    const link = await findLink(
      service.db,
      await createLink(service.db, {
        purpose: 'change_email',
        email: attackerEmail,
        account_id: user.id,
      }),
      'change_email',
    )
    assert.ok(link)
    assert.equal(await finishEmailChange(service.db, link, { language: 'en' }), 'changed')
    const thiefTokens = await obtainTokens(service, {
      app: stolen,
      user: { ...user, email: attackerEmail },
      scope: SCOPE,
      prompt: 'consent',
    })
    const registered = await service.createApp({ accountId: user.id, clientName: 'Registered app' })
    await updateOwnApp(service.db, user.id, own.clientId, { client_name: 'Changed app' })
    const address = path(await waitForLink(service.config.dataDir, user.email, '/not-me'))

    const owner = await signedInBrowser(service, { ...user, email: attackerEmail })
    const page = await owner.get(address)
    assert.match(page.text, /class="who"/)
    assert.match(page.text, new RegExp(`restore ${user.email} as the address of your account`))
    assert.match(page.text, /<li>Permissions of the app <strong>Stolen app<\/strong>/)
    assert.doesNotMatch(page.text, /Trusted app/)
    assert.match(page.text, /which will be disabled: <strong>Registered app<\/strong>/)
    assert.match(page.text, /replace their secrets.*<li><strong>Changed app<\/strong>/s)
    assert.equal((await service.requestToken(registered)).status, 200, 'looking changes nothing')
    assert.equal(
      (await findAccount(service.db, user.id))?.email,
      attackerEmail,
      'looking changes nothing',
    )
    const done = await owner.submit(page)
    assert.match(done.text, /Email address restored/)
    assert.doesNotMatch(done.text, /class="who"/, 'nobody is signed in any more')
    assert.equal((await owner.get(address)).status, 410)
    assert.match((await attacker.get('/account')).url, /\/sign-in$/)
    const status = async ({ access_token: token }: { access_token: string }) =>
      (await fetch(`${service.url}/v3/user/me`, { headers: { authorization: `Bearer ${token}` } }))
        .status
    await eventually(async () => (await status(thiefTokens)) === 401, 'The refusal of the token')
    assert.equal(await status(ownTokens), 200, 'what was allowed before stays')
    assert.equal(
      (await service.requestToken(registered)).status,
      401,
      'its secret is known to the thief',
    )
    assert.equal((await service.requestToken(own)).status, 200)
    assert.deepEqual(
      (await listOwnApps(service.db, user.id)).map(({ client_name, enabled }) => [
        client_name,
        enabled,
      ]),
      [
        ['Changed app', true],
        ['Registered app', false],
      ],
    )

    const choose = await owner.get(
      path(await waitForLink(service.config.dataDir, user.email, '/reset-password')),
    )
    assert.match(
      (await owner.submit(choose, { password: 'words nobody else knows' })).url,
      /\/account$/,
    )
    assert.match((await owner.get('/account/history')).text, /It wasn’t me/)
  })

  it('reports that the email address is in use, and works once the address is free', async () => {
    const user = await createUser(service)
    const token = await createLink(service.db, {
      purpose: 'not_me',
      email: 'in-use@example.org',
      account_id: user.id,
    })
    const other = await createUser(service)
    await service.db
      .updateTable('accounts')
      .set({ email: 'in-use@example.org' })
      .where('id', '=', other.id)
      .execute()
    const browser = new PlainBrowser(service.url)
    const page = await browser.get(`/not-me?token=${token}`)
    const refused = await browser.submit(page)
    assert.equal(refused.status, 409)
    assert.match(refused.text, /in-use@example\.org now belongs to another account/)
    await service.db.deleteFrom('accounts').where('id', '=', other.id).execute()
    assert.match((await browser.submit(page)).text, /Email address restored/)
  })

  it('rejects a credential change that an intruder submits while the account is being secured', async () => {
    const user = await createUser(service)
    const attacker = await signedInBrowser(service, user)
    const form = await attacker.get('/account/password')
    const blocker = service.db.transaction().execute(async (trx) => {
      // Locks the account like `secureAccount`.
      await trx.selectFrom('accounts').select('id').where('id', '=', user.id).forUpdate().execute()
      await trx.deleteFrom('sessions').where('account_id', '=', user.id).execute()
    })
    const change = attacker.submit(form, {
      current_password: user.password,
      password: 'the thief’s horse',
    })
    await blocker
    assert.match((await change).url, /\/sign-in/)
  })
})
