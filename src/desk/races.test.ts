import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createUser, signedInAs, type TestUser } from '#test/authorization.ts'
import type { PlainBrowser, Visit } from '#test/browser.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { asAnotherProcess } from '#test/refuse-second-connections.ts'
import { spawnAnother, type ServiceProcess } from '#test/service-process.ts'
import { startService, type TestService } from '#test/service.ts'
import { waitForBlocked } from '#test/blocked-connections.ts'
import { sampleWorks } from '#test/sample-works.ts'
import { deleteAccount } from '../accounts/deletion-queries.ts'
import { deleteOwnApp } from '../apps/owner-queries.ts'
import { queryText } from '../db/query.ts'
import { ADVISORY_LOCKS } from '../db/advisory-locks.ts'
import { appealTakedown } from '../moderation/appeal-queries.ts'
import { createReport } from '../moderation/report-queries.ts'
import { listOwnTakedowns } from '../moderation/takedown-queries.ts'
import { saveRating } from '../ratings/own/queries.ts'
import { createEndpoint } from '../webhooks/endpoint-queries.ts'

const IMPORT_LOCK = `select pg_advisory_xact_lock(${ADVISORY_LOCKS.imports})`
const ACCOUNT = 'select from accounts where id = $1 for update'
const APP = 'select from apps where client_id = $1 for update'

type AdminRequest = { path: string; fields?: Record<string, string | string[]> }
/** Response to one of the administrators. */
type ActionOutcome = { status: number; text: string }

describe('two concurrent administrators in separate processes', () => {
  let database: TestDatabase
  let service: TestService
  let other: ServiceProcess
  let admins: { url: string; browser: PlainBrowser; csrf: string }[]
  let works: number[]
  before(async () => {
    database = await createDatabase('server', 'sample')
    service = await startService({ database })
    other = await spawnAnother(database, service)
    works = (await sampleWorks(service.db)).galgame
    admins = await Promise.all(
      [service.url, other.url].map(async (url) => {
        const { id, browser } = await signedInAs(service, 'ADMIN')
        const { forms } = await browser.get(`/desk/accounts/${id}`)
        return { url, browser, csrf: forms.at(-1)?.fields['_csrf'] ?? '' }
      }),
    )
  })
  after(async () => {
    await other?.stop()
    await service?.close()
    await database?.remove()
  })

  const rows = <Row = { id: number }>(text: string, values: unknown[] = []) =>
    queryText<Row>(service.db, text, values)
  const send = (index: number, { path, fields = {} }: AdminRequest): Promise<Visit> => {
    const admin = admins[index]
    assert.ok(admin)
    const sent = Object.entries({ _csrf: admin.csrf, note: 'At once.', ...fields })
    return admin.browser.post(
      `${admin.url}/desk${path}`,
      new URLSearchParams(
        sent.flatMap(([name, value]) => [value].flat().map((item) => [name, item])),
      ),
    )
  }
  /** Returns the text of the notice or error on the resulting page. */
  async function outcomeOf(index: number, visit: Visit): Promise<ActionOutcome> {
    const redirect = visit.location === undefined ? undefined : new URL(visit.location, visit.url)
    const page = redirect
      ? await admins[index]?.browser.get(redirect.pathname + redirect.search)
      : visit
    const [, notice = ''] = /<div class="notice done [^>]*><p>([^<]*)/.exec(page?.text ?? '') ?? []
    const [, refused = ''] = /<main[^>]*>(.*)<\/main>/s.exec(page?.text ?? '') ?? []
    return {
      status: visit.location === undefined ? visit.status : 200,
      text: notice === '' ? refused.replaceAll(/<[^>]*>|\s+/g, ' ') : notice,
    }
  }

  /** Sends both requests while a lock blocks them, then releases the lock. `also` runs concurrently. */
  async function atOnce(
    lock: [text: string, values?: unknown[]],
    requests: AdminRequest[],
    concurrentWork: (() => Promise<unknown>)[] = [],
  ): Promise<ActionOutcome[]> {
    let sent: Promise<Visit>[] = []
    let concurrent: Promise<unknown>[] = []
    await service.db.transaction().execute(async (trx) => {
      await queryText(trx, lock[0], lock[1] ?? [])
      concurrent = concurrentWork.map((work) => asAnotherProcess(work))
      if (concurrent.length > 0) await waitForBlocked(trx, concurrent.length)
      sent = requests.map((action, index) => send(index, action))
      await waitForBlocked(trx, requests.length + concurrent.length)
    })
    await Promise.all(concurrent)
    const visits = await Promise.all(sent)
    const all = await Promise.all(visits.map((visit, index) => outcomeOf(index, visit)))
    for (const { status, text } of all) assert.ok(status < 500, `${status} ${text}`)
    return all
  }
  /** Asserts that one request succeeded and the other reported that someone else was first. */
  function assertOnce(
    outcomes: ActionOutcome[],
    done: RegExp,
    late: RegExp = /Someone else has already done this/,
  ) {
    const texts = outcomes.map((outcome) => outcome.text)
    assert.equal(texts.filter((text) => done.test(text)).length, 1, texts.join(' | '))
    assert.equal(
      texts.filter((text) => late.test(text)).length,
      outcomes.length - 1,
      texts.join(' | '),
    )
  }
  const events = async (kind: string, where: string, value: unknown) =>
    (await rows(`select id from audit_events where kind = $1 and ${where} = $2`, [kind, value]))
      .length

  it('ban, unban and set a role only once', async () => {
    const { id } = await createUser(service)
    const lock: [string, unknown[]] = [ACCOUNT, [id]]
    const both = (action: string, fields = {}) => {
      const one = { path: `/accounts/${id}/${action}`, fields }
      return atOnce(lock, [one, one])
    }
    assertOnce(await both('ban'), /Account banned/)
    assertOnce(await both('unban'), /Ban lifted/)
    assertOnce(await both('role', { role: 'MODERATOR' }), /Role changed/)
    for (const kind of ['banned', 'unbanned', 'role_changed'])
      assert.equal(await events(kind, 'account_id', id), 1, kind)
  })

  it('disable, enable and limit an app only once', async () => {
    const { id } = await createUser(service)
    const { clientId } = await service.createApp({ accountId: id, clientName: 'An app' })
    const both = (action: string, fields = {}) => {
      const one = { path: `/apps/${clientId}/${action}`, fields }
      return atOnce([APP, [clientId]], [one, one])
    }
    assertOnce(await both('disable'), /App disabled/)
    assertOnce(await both('enable'), /App enabled/)
    assertOnce(await both('limit', { limit: '7' }), /Rate limit changed/)
    assert.equal(await events('app_changed', 'client_id', clientId), 3)
    const opposite = [{ path: `/apps/${clientId}/disable` }, { path: `/apps/${clientId}/enable` }]
    await atOnce([APP, [clientId]], opposite)
  })

  it('get 404 for an app or a webhook that was deleted by its developer or together with its account', async () => {
    for (const [deleted, of] of [
      ['app', 'app'],
      ['account', 'app'],
      ['app', 'webhook'],
      ['account', 'webhook'],
    ] as const) {
      const { id } = await createUser(service)
      const { clientId } = await service.createApp({ accountId: id, clientName: 'Going' })
      const endpoint = await createEndpoint(
        service.db,
        { accountId: id, clientId, origin: {} },
        { url: 'https://app.example.org/events', events: ['catalog.changed'] },
        undefined,
      )
      assert.ok('id' in endpoint)
      const path = `/apps/${clientId}`
      const outcomes = await atOnce(
        deleted === 'app' ? [APP, [clientId]] : [ACCOUNT, [id]],
        of === 'app'
          ? [{ path: `${path}/disable` }, { path: `${path}/limit`, fields: { limit: '3' } }]
          : [{ path: `/webhooks/${endpoint.id}/disable` }, { path: `${path}/disable` }],
        [
          () =>
            deleted === 'app'
              ? deleteOwnApp(service.db, id, clientId)
              : deleteAccount(service.db, id),
        ],
      )
      for (const { status } of outcomes) assert.equal(status, 404, `${of} of a deleted ${deleted}`)
      assert.deepEqual(
        await rows('select client_id from apps where client_id = $1', [clientId]),
        [],
      )
    }
  })

  it('merge a pair only once, and unmerge it only once', async () => {
    const [, from, into] = works
    const one = {
      path: '/merges',
      fields: { kind: 'galgame', from: String(from), into: String(into) },
    }
    assertOnce(await atOnce([IMPORT_LOCK], [one, one]), /Entries merged/)
    const parted = { ...one, path: '/merges/undo' }
    assertOnce(await atOnce([IMPORT_LOCK], [parted, parted]), /Entries separated/)
    assert.equal(await events('entries_merged', `details ->> 'from'`, String(from)), 1)
    assert.equal(await events('entries_unmerged', `details ->> 'from'`, String(from)), 1)
    const crossed = {
      path: '/merges',
      fields: { kind: 'galgame', from: String(into), into: String(from) },
    }
    const outcomes = await atOnce([IMPORT_LOCK], [one, crossed])
    assertOnce(outcomes, /Entries merged/, /was merged into/)
  })

  it('accept or reject a match, but not both', async () => {
    for (const requests of [
      ['accepted', 'rejected'],
      ['rejected', 'accepted'],
      ['accepted', 'accepted'],
      ['rejected', 'rejected'],
    ]) {
      const [match] = await rows(
        `insert into matches (kind, source, external_id, other_source, other_external_id, rule)
         select 'person', one.source, one.external_id, other.source, other.external_id, 'same-name'
         from source_records one
         join source_records other on other.kind = 'person' and other.entry_id > one.entry_id
         where one.kind = 'person'
           and not exists (select from matches known where known.kind = 'person' and known.external_id in (one.external_id, other.external_id))
         order by one.entry_id, other.entry_id limit 1
         returning id`,
      )
      assert.ok(match)
      const outcomes = await atOnce(
        [IMPORT_LOCK],
        requests.map((decision) => ({
          path: '/matches/decide',
          fields: { match: String(match.id), decision },
        })),
      )
      assertOnce(outcomes, /pair (was merged|stays separate)/, /already decided this/)
      const decisions = await rows<{ kind: string }>(
        `select kind from audit_events where details ->> 'match' = $1 and kind like 'match_%'`,
        [String(match.id)],
      )
      const [{ state } = { state: '' }] = await rows<{ state: string }>(
        'select state from matches where id = $1',
        [match.id],
      )
      assert.deepEqual(decisions, [{ kind: `match_${state}` }])
    }
  })

  it('decide each of the pairs that both selected only once', async () => {
    const matches = await rows(
      `insert into matches (kind, source, external_id, other_source, other_external_id, rule)
       select 'character', 'vndb', 'c-race-' || number, 'bangumi', 'race-' || number, 'same-name'
       from generate_series(1, 3) number
       returning id`,
    )
    const [first, shared, last] = matches.map(({ id }) => String(id))
    assert.ok(first !== undefined && shared !== undefined && last !== undefined)
    const decide = (match: string[], decision: string): AdminRequest => ({
      path: '/matches/decide',
      fields: { match, decision },
    })
    const outcomes = await atOnce(
      [IMPORT_LOCK],
      [decide([first, shared], 'accepted'), decide([shared, last], 'rejected')],
    )
    assertOnce(outcomes, /selected pairs/, /already decided some of these pairs/)
    for (const id of [first, shared, last]) {
      const decisions = await rows<{ kind: string; state: string }>(
        `select event.kind, known.state
         from matches known
         join audit_events event on event.details ->> 'match' = known.id::text and event.kind like 'match_%'
         where known.id = $1`,
        [id],
      )
      assert.deepEqual(
        decisions.map(({ kind, state }) => kind === `match_${state}`),
        [true],
        id,
      )
    }
  })

  it('set a field only once, and unset it only once', async () => {
    const field = { kind: 'galgame', id: String(works[0]), field: 'trans_title' }
    const set = { path: '/entries/set', fields: { ...field, value: 'By two' } }
    assertOnce(await atOnce([IMPORT_LOCK], [set, set]), /Field set/)
    const unset = { path: '/entries/unset', fields: field }
    assertOnce(await atOnce([IMPORT_LOCK], [unset, unset]), /follows its sources again/)
  })

  async function hidden(): Promise<{ author: TestUser; takedown: number; report: number }> {
    const [author, reporter] = await Promise.all([createUser(service), createUser(service)])
    const key = { accountId: author.id, kind: 'galgame', workId: works[0] ?? 0 } as const
    const { id } = JSON.parse(await saveRating(service.db, key, null, { rate_content: 'Nasty.' }))
    const created = await createReport(service.db, reporter.id, {
      named: { kind: 'REVIEW', id: Number(id) },
      reason: 'SPAM',
      note: '',
    })
    assert.ok('report' in created)
    await send(0, { path: `/reports/${created.report.id}/hide`, fields: { reason: 'SPAM' } })
    const [takedown] = await listOwnTakedowns(service.db, author.id)
    assert.ok(takedown)
    return { author, takedown: takedown.id, report: created.report.id }
  }

  it('restore hidden content only once, and decide an appeal only once', async () => {
    const { author, takedown } = await hidden()
    const restore = { path: `/hidden/${takedown}/restore` }
    assertOnce(await atOnce([ACCOUNT, [author.id]], [restore, restore]), /Visible again/)
    assert.equal(await events('content_restored', `details ->> 'takedown'`, String(takedown)), 1)

    const secondTakedown = await hidden()
    await appealTakedown(service.db, secondTakedown.author.id, secondTakedown.takedown, 'No.', {})
    const path = `/hidden/${secondTakedown.takedown}`
    const row = 'select from takedowns where id = $1 for update'
    // The moderator who hid it may not decide the appeal: the first restores it, the second rejects the appeal.
    const outcomes = await atOnce(
      [row, [secondTakedown.takedown]],
      [{ path: `${path}/restore` }, { path: `${path}/reject` }],
    )
    const done = outcomes.filter(({ text }) => /Visible again|stays hidden/.test(text))
    assert.equal(done.length, 1, outcomes.map(({ text }) => text).join(' | '))
    const decisions = await rows(
      `select id from audit_events where details ->> 'takedown' = $1 and kind in ('content_restored', 'appeal_rejected')`,
      [String(secondTakedown.takedown)],
    )
    assert.equal(decisions.length, 1)
  })

  it('close reports only once, and retry an email only once', async () => {
    const [author, reporter] = await Promise.all([createUser(service), createUser(service)])
    const key = { accountId: author.id, kind: 'galgame', workId: works[0] ?? 0 } as const
    const { id } = JSON.parse(await saveRating(service.db, key, null, { rate_content: 'Nasty.' }))
    const named = { kind: 'REVIEW', id: Number(id) } as const
    const created = await createReport(service.db, reporter.id, { named, reason: 'SPAM', note: '' })
    assert.ok('report' in created)
    const dismiss = {
      path: `/reports/${created.report.id}/dismiss`,
      fields: { last: String(created.report.id) },
    }
    const report: [string, unknown[]] = [
      'select from reports where id = $1 for update',
      [created.report.id],
    ]
    assertOnce(
      await atOnce(report, [dismiss, dismiss]),
      /Reports closed/,
      /Someone else has already decided this/,
    )
    const reopen = { path: `/reports/${created.report.id}/reopen` }
    assertOnce(await atOnce(report, [reopen, reopen]), /Reports reopened/)

    const [mail] = await rows(
      `insert into mails (kind, email, language, details, attempts, failed_at, next_attempt_at)
       values ('nobody knows it', 'a@b.example', 'en', '{}', 10, now(), 'infinity') returning id`,
    )
    const retry = { path: `/mails/${mail?.id}/retry` }
    const row: [string, unknown[]] = ['select from mails where id = $1 for update', [mail?.id]]
    const outcomes = await atOnce(row, [retry, retry])
    const [done, late] = [/Sending the email again/, /Someone else has already done this/].map(
      (message) => outcomes.filter(({ text }) => message.test(text)).length,
    )
    // It may have been retried and failed again in between.
    assert.ok(done === 1 || done === 2)
    assert.equal(late, 2 - done)
    assert.equal(await events('mail_retried', `details ->> 'mail'`, String(mail?.id)), done)
  })
})
