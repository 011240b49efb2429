import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { ageSignIns } from '#test/accounts.ts'
import { signedInAs, type UserWithBrowser } from '#test/authorization.ts'
import { csrfTokenOf, eventually, type Visit } from '#test/browser.ts'
import { accountFlows } from '#test/account-flows.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { startService, type TestService } from '#test/service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { findAccount } from '../accounts/queries.ts'
import { setRole } from '../accounts/role-queries.ts'
import { listEvents } from '../audit/events.ts'
import { searchEvents } from '../audit/search-queries.ts'
import { queryText } from '../db/query.ts'
import { createReport } from '../moderation/report-queries.ts'
import { listOwnTakedowns } from '../moderation/takedown-queries.ts'
import { saveRating } from '../ratings/own/queries.ts'

describeOnDatabase('an action at the desk', (engine) => {
  let service: TestService
  let admin: UserWithBrowser
  let game: number
  before(async () => {
    service = await startService({ engine })
    game = first((await sampleWorks(service.db)).galgame)
    admin = await signedInAs(service, 'ADMIN')
  })
  after(() => service.close())

  /** Fills in the page's form that posts to the given path. */
  async function takeAction(
    { browser }: UserWithBrowser,
    page: string,
    action: string,
    fields: Record<string, string>,
  ) {
    const visit = await browser.get(page)
    const form = visit.forms.find((item) => item.action === action)
    assert.ok(form, `${action} in ${visit.text.slice(0, 1_000)}`)
    return browser.submit(visit, fields, form)
  }
  const undo = (visit: Visit, { browser }: UserWithBrowser) => {
    const form = visit.forms.find(({ fields }) => fields['undo'] === 'yes')
    assert.ok(form, 'there is a way to undo it')
    return browser.submit(visit, {}, form)
  }
  /** Waits for sent emails: the outbox deletes a row shortly after its email has been accepted. */
  const subjectsTo = ({ email }: UserWithBrowser) =>
    accountFlows(() => service)
      .mailsTo(email)
      .map(({ subject }) => subject)

  async function reported(): Promise<{ author: UserWithBrowser; report: number; rating: number }> {
    const [author, user] = await Promise.all([signedInAs(service, null), signedInAs(service, null)])
    const key = { accountId: author.id, kind: 'galgame', workId: game } as const
    const { id: rating } = JSON.parse(
      await saveRating(service.db, key, null, { rate_content: '<b>Nasty</b>' }),
    )
    assert.ok(rating)
    const named = { kind: 'REVIEW', id: rating } as const
    const result = await createReport(service.db, user.id, {
      named,
      reason: 'SPAM',
      note: '</script><i>',
    })
    assert.ok('report' in result)
    return { author, report: result.report.id, rating }
  }

  it('bans an account with a reason, notifies the user, is logged, and can be undone', async () => {
    const user = await signedInAs(service, null)
    const page = `/desk/accounts/${user.id}`
    assert.equal((await takeAction(admin, page, `${page}/ban`, { note: ' \u0000 ' })).status, 422)
    const done = await takeAction(admin, page, `${page}/ban`, { note: 'Advertising <b>' })
    assert.match(done.text, /Account banned/)
    assert.equal((await findAccount(service.db, user.id))?.ban_reason, 'Advertising <b>')
    const [event] = await searchEvents(
      service.db,
      { accountId: user.id, kind: 'banned' },
      { limit: 1 },
    )
    assert.equal(event?.actor_id, admin.id)
    assert.match(
      (await admin.browser.get(`/desk/log?account=${user.id}&kind=banned`)).text,
      /Advertising &lt;b&gt;/,
    )
    await undo(done, admin)
    assert.equal((await findAccount(service.db, user.id))?.banned_at, null)
    const ofModerator = (await listEvents(service.db, user.id, { limit: 5 })).filter(({ kind }) =>
      /ban/.test(kind),
    )
    assert.deepEqual(
      ofModerator.map(({ address, user_agent }) => [address, user_agent]),
      [
        [null, null],
        [null, null],
      ],
      'who is concerned does not learn from where',
    )
    const log = await admin.browser.get(`/desk/log?account=${user.id}&kind=unbanned`)
    assert.match(log.text, /reason: Undone/)
    const ban = await takeAction(admin, page, `${page}/ban`, { note: '', undo: 'yes' })
    assert.equal(ban.status, 422, 'what takes nothing back needs its reason')
    assert.doesNotMatch(
      (await admin.browser.get(page)).text,
      /Ban lifted\. The owner/,
      'it is said once',
    )
  })

  it("cannot target the actor's own account, accounts with a role, or the last administrator", async () => {
    const page = `/desk/accounts/${admin.id}`
    const csrf = csrfTokenOf(await admin.browser.get(page))
    const send = (path: string, fields = {}) =>
      admin.browser.post(path, { _csrf: csrf, note: 'x', ...fields })
    assert.equal((await send(`${page}/ban`)).status, 409)
    assert.equal((await send(`${page}/factors`)).status, 409)
    const demoted = await send(`${page}/role`, { role: '' })
    assert.deepEqual([demoted.status, /last administrator/.test(demoted.text)], [409, true])
    const moderator = await signedInAs(service, 'MODERATOR')
    assert.equal((await send(`/desk/accounts/${moderator.id}/ban`)).status, 409)
    for (const path of [
      '/desk/accounts/999999/ban',
      '/desk/accounts/x/ban',
      '/desk/apps/none/disable',
      '/desk/reports/999999/hide',
    ])
      assert.ok([404, 422].includes((await send(path, { reason: 'SPAM' })).status), path)
    assert.equal((await findAccount(service.db, admin.id))?.role, 'ADMIN')
  })

  it('disables the apps of a banned developer only if the box is checked', async () => {
    for (const [checked, enabled] of [
      [{}, true],
      [{ apps: 'disable' }, false],
    ] as const) {
      const developer = await signedInAs(service, null)
      const { clientId } = await service.createApp({ accountId: developer.id })
      const page = `/desk/accounts/${developer.id}`
      assert.match((await admin.browser.get(page)).text, /name="apps" value="disable"/)
      const banned = await takeAction(admin, page, `${page}/ban`, {
        note: 'Advertising',
        ...checked,
      })
      assert.equal(banned.status, 200)
      assert.deepEqual(
        await queryText(
          service.db,
          'select enabled and blocked_at is null as enabled from apps where client_id = $1',
          [clientId],
        ),
        [{ enabled }],
      )
    }
  })

  it('lists private feeds without their secret, and turns them off', async () => {
    const user = await signedInAs(service, null)
    const page = `/desk/accounts/${user.id}`
    const hash = String(user.id).padStart(43, 'h')
    assert.doesNotMatch((await admin.browser.get(page)).text, /Private feeds/)
    await queryText(
      service.db,
      `insert into private_feeds (account_id, secret_hash, created_at) values ($1, $2, '2024-03-09T12:00Z')`,
      [user.id, hash],
    )
    const { text } = await admin.browser.get(page)
    assert.match(
      text,
      /<h2>Private feeds<\/h2>.*>Releases from my list<.*datetime="2024-03-09T12:00:00.000Z".*>Notifications<.*datetime="2024-03-09T12:00:00.000Z"/s,
    )
    assert.ok(!text.includes(hash) && !text.includes('mkf_'))
    const refused = await takeAction(admin, page, `${page}/feeds`, { note: ' ' })
    assert.equal(refused.status, 422)
    const done = await takeAction(admin, page, `${page}/feeds`, { note: 'The address leaked.' })
    assert.match(done.text, /Private feeds turned off\. The owner has been notified\./)
    assert.deepEqual(
      await queryText(service.db, 'select * from private_feeds where account_id = $1', [user.id]),
      [],
    )
    const [event] = await searchEvents(
      service.db,
      { accountId: user.id, kind: 'feeds_removed' },
      { limit: 1 },
    )
    assert.deepEqual([event?.actor_id, event?.details['reason']], [admin.id, 'The address leaked.'])
    const csrf = done.forms.at(-1)?.fields['_csrf'] ?? ''
    const again = await admin.browser.post(`${page}/feeds`, { _csrf: csrf, note: 'x' })
    assert.match(again.text, /Someone else has already done this/)
    await eventually(
      async () => subjectsTo(user).includes('mokuroku: Your private feeds were turned off'),
      'the email to the owner',
    )
  })

  it('is rejected from another site or without a CSRF token', async () => {
    const user = await signedInAs(service, null)
    const page = `/desk/accounts/${user.id}/ban`
    assert.equal((await admin.browser.post(page, { note: 'x' })).status, 403)
    const stolen = csrfTokenOf(await user.browser.get(`/library/galgames/${game}`))
    assert.equal((await admin.browser.post(page, { note: 'x', _csrf: stolen })).status, 403)
    assert.equal((await findAccount(service.db, user.id))?.banned_at, null)
  })

  it('hides only the reported picture, and returns 409 if that picture no longer exists', async () => {
    const [owner, user, moderator] = await Promise.all([
      signedInAs(service, null),
      signedInAs(service, null),
      signedInAs(service, 'MODERATOR'),
    ])
    const show = (picture: string | null) =>
      service.db.updateTable('accounts').set({ picture }).where('id', '=', owner.id).execute()
    await show('https://example.org/first.jpg')
    const named = { kind: 'PICTURE', type: 'profile', id: owner.id } as const
    const created = await createReport(service.db, user.id, { named, reason: 'SEXUAL', note: '' })
    assert.ok('report' in created)
    const page = `/desk/reports/${created.report.id}`
    const name = (await findAccount(service.db, owner.id))?.name ?? ''
    const hide = (visit: Visit) =>
      moderator.browser.press(visit, `${page}/hide`, { reason: 'SEXUAL', note: 'Be kind.' })
    const [stale, ofAdmin] = [await moderator.browser.get(page), await admin.browser.get(page)]
    assert.ok(stale.text.includes(`<h2>Picture</h2><p>${name}</p>`), 'whose it is')
    const link = `<h2>Picture</h2><p><a href="/desk/accounts/${owner.id}">${name}</a></p>`
    assert.ok(ofAdmin.text.includes(link))
    await show(null)
    const missing = await hide(stale)
    assert.deepEqual([missing.status, await listOwnTakedowns(service.db, owner.id)], [409, []])
    assert.match(missing.text, /It no longer exists/)
    await show('https://example.org/first.jpg')
    const hidden = await hide(stale)
    assert.match(hidden.text, /Hidden/)
    assert.doesNotMatch(hidden.text, /account:\d/)
    assert.ok((await admin.browser.get(new URL(hidden.url).pathname)).text.includes(link))
    const after = await moderator.browser.get(page)
    assert.ok(!after.forms.some(({ action }) => action === `${page}/hide`))
    await show('https://example.org/second.jpg')
    assert.equal((await listOwnTakedowns(service.db, owner.id)).length, 1)
    assert.equal(
      (await findAccount(service.db, owner.id))?.picture,
      'https://example.org/second.jpg',
    )
  })

  it('requires a recent sign-in with all factors, then returns to the page', async () => {
    const { author, report } = await reported()
    const moderator = await signedInAs(service, 'MODERATOR')
    const page = `/desk/reports/${report}`
    const before = await moderator.browser.get(page)
    await ageSignIns(service.db, moderator.id)
    assert.match((await moderator.browser.get(page)).text, /Sign in again/)
    const passwordPage = await moderator.browser.press(before, '/hide', { note: 'x' })
    assert.equal(new URL(passwordPage.url).pathname, '/sign-in')
    assert.deepEqual(await listOwnTakedowns(service.db, author.id), [])
    const { email, password } = moderator
    await moderator.browser.submit(passwordPage, { email, password })
    const hidden = await takeAction(moderator, page, `${page}/hide`, {
      reason: 'SPAM',
      note: 'Be kind.',
    })
    assert.match(hidden.text, /Hidden/)
    assert.equal((await listOwnTakedowns(service.db, author.id)).length, 1)
  })

  it("escapes user input, and is rejected for the moderator's own content", async () => {
    const { report, author } = await reported()
    const page = `/desk/reports/${report}`
    const { text } = await admin.browser.get(page)
    assert.match(text, /&lt;b&gt;Nasty&lt;\/b&gt;.*&lt;\/script&gt;&lt;i&gt;/s)
    await setRole(service.db, author.id, 'MODERATOR')
    assert.equal((await takeAction(author, page, `${page}/dismiss`, { note: 'Mine.' })).status, 409)
    const dismissed = await takeAction(admin, page, `${page}/dismiss`, { note: 'Fine.' })
    assert.match(dismissed.text, /stays visible/)
    await undo(dismissed, admin)
    assert.match((await admin.browser.get(page)).text, /Pending/)
  })

  it('shows the form again with the invalid value, the error and the note', async () => {
    const page = `/desk/entries?kind=galgame&id=${game}`
    const bad = { field: 'release_date', value: '2023-02-30', note: 'From the box.' }
    const refused = await takeAction(admin, page, '/desk/entries/set', bad)
    const { status, text, forms } = refused
    assert.equal(status, 422)
    assert.match(
      text,
      /aria-invalid="true" autofocus="" aria-describedby="set-value-fault">\n?2023-02-30</,
    )
    assert.match(text, /id="set-value-fault">release_date must be a date/)
    const form = forms.find(({ action }) => action === '/desk/entries/set')
    assert.match(text, /<option selected>release_date</)
    assert.equal(form?.fields['note']?.trim(), bad.note)
    const mended = await admin.browser.submit(refused, { ...bad, value: '2023-02-28' }, form)
    assert.match(mended.text, /2023-02-28/)
    await undo(mended, admin)
  })

  it('can set or clear a field, limit or disable an app, and retry an email', async () => {
    const entry = `/desk/entries?kind=galgame&id=${game}`
    const set = await takeAction(admin, entry, '/desk/entries/set', {
      field: 'trans_title',
      value: 'By hand',
      note: 'A better one.',
    })
    assert.match(set.text, /set by hand/)
    assert.doesNotMatch((await undo(set, admin)).text, /<strong>set by hand/)
    await takeAction(admin, entry, '/desk/entries/set', {
      field: 'trans_title',
      value: 'By hand',
      note: 'Again.',
    })
    const unset = { page: entry, action: '/desk/entries/unset', field: 'trans_title' }
    const row = (await admin.browser.get(unset.page)).forms.find(
      ({ action }) => action === unset.action,
    )
    assert.equal(row?.fields['note'], '', 'a row asks for the reason, and does not make one up')
    assert.equal((await takeAction(admin, unset.page, unset.action, {})).status, 422)
    await takeAction(admin, unset.page, unset.action, { note: 'The source is right now.' })
    const [unsetting] = await searchEvents(service.db, { kind: 'entry_field_unset' }, { limit: 1 })
    assert.equal(unsetting?.details['reason'], 'The source is right now.')
    const developer = await signedInAs(service, null)
    const { clientId } = await service.createApp({
      accountId: developer.id,
      clientName: 'A launcher',
    })
    const page = `/desk/apps/${clientId}`
    assert.equal(
      (await takeAction(admin, page, `${page}/limit`, { limit: '0', note: 'x' })).status,
      422,
    )
    const limited = await takeAction(admin, page, `${page}/limit`, { limit: '7', note: 'Busy.' })
    assert.match(limited.text, /<dd>7<\/dd>/)
    assert.doesNotMatch((await undo(limited, admin)).text, /<dd>7<\/dd>/)
    const disabled = await takeAction(admin, page, `${page}/disable`, { note: 'It leaks.' })
    assert.match(disabled.text, /App disabled/)
    assert.match((await undo(disabled, admin)).text, /App enabled/)
    await queryText(
      service.db,
      `insert into mails (kind, email, language, details, attempts, failed_at) values ('app_enabled', 'a@b.example', 'ja', '{"note": "", "what": "A"}', 10, now())`,
      [],
    )
    const mails = await admin.browser.get('/desk/mails')
    assert.match(mails.text, /failed/)
    assert.match((await admin.browser.press(mails, '/retry')).text, /Sending the email again/)
    const limit = 'mokuroku: The rate limit of your app A launcher was changed'
    const expected = [
      limit,
      limit,
      'mokuroku: Your app A launcher was disabled',
      'mokuroku: Your app A launcher was enabled',
    ]
    await eventually(
      async () => subjectsTo(developer).length >= expected.length,
      'the mails to the developer',
    )
    // Several emails are sent concurrently, in any order.
    assert.deepEqual(subjectsTo(developer).toSorted(), expected.toSorted())
  })

  it('rejects impossible entry changes with the same message as the command line', async () => {
    const refused = await admin.browser.get(`/desk/merges?kind=galgame&from=${game}&into=${game}`)
    assert.deepEqual(
      [refused.status, /cannot be merged into itself/.test(refused.text)],
      [409, true],
    )
    const missing = await admin.browser.get('/desk/entries?kind=person&id=999999')
    assert.deepEqual(
      [missing.status, /Person 999999 does not exist/.test(missing.text)],
      [409, true],
    )
    assert.equal((await admin.browser.get('/desk/imports/99999999999')).status, 404)
  })
})
