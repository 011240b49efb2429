import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createUser, signedInAs, type TestUser } from '#test/authorization.ts'
import { csrfTokenOf, type PlainBrowser, type Visit } from '#test/browser.ts'
import { importRecords } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { startService, type TestService } from '#test/service.ts'
import { sourceRecords } from '#test/source-records.ts'
import { sampleWorks } from '#test/sample-works.ts'
import { banAccount } from '../accounts/ban-queries.ts'
import { findAccount } from '../accounts/queries.ts'
import { saveDocumentApp } from '../apps/client-document-queries.ts'
import { setRole } from '../accounts/role-queries.ts'
import { queryText } from '../db/query.ts'
import { setField } from '../curation/edit/edit-field.ts'
import { appealTakedown } from '../moderation/appeal-queries.ts'
import { createReport } from '../moderation/report-queries.ts'
import { findTakedown, listOwnTakedowns } from '../moderation/takedown-queries.ts'
import { saveRating } from '../ratings/own/queries.ts'

const { person } = sourceRecords

const DECIDE = '/matches/decide'

type Admin = { id: number; browser: PlainBrowser; csrf: string }

describeOnDatabase('an undo without a reason', (engine) => {
  let service: TestService
  let admin: Admin
  let otherAdmin: Admin
  let works: number[]
  before(async () => {
    service = await startService({ engine })
    works = (await sampleWorks(service.db)).galgame
    ;[admin, otherAdmin] = await Promise.all([administrator(), administrator()])
  })
  after(() => service.close())

  async function administrator(): Promise<Admin> {
    const { id, browser } = await signedInAs(service, 'ADMIN')
    return { id, browser, csrf: csrfTokenOf(await browser.get(`/desk/accounts/${id}`)) }
  }
  const submitAction = ({ browser, csrf }: Admin, path: string, fields = {}) =>
    browser.post(`/desk${path}`, { _csrf: csrf, note: 'A reason.', ...fields })
  const undo = (admin: Admin, path: string, fields = {}) =>
    submitAction(admin, path, { ...fields, note: ' ', undo: 'yes' })
  const countEvents = async () =>
    (
      await queryText<{ amount: number }>(
        service.db,
        'select count(*) as amount from audit_events',
        [],
      )
    )[0]?.amount
  /** Asserts that nothing changed and that the page says why. */
  async function isRefused(submit: () => Promise<Visit>, name: string) {
    const before = await countEvents()
    const { status, text } = await submit()
    assert.deepEqual([status, await countEvents()], [422, before], `${name}: ${text.slice(0, 200)}`)
    assert.match(text, /Nothing was undone|Give a reason/, name)
  }
  const isDone = async (submitted: Promise<Visit>, notice: RegExp) => {
    const { status, text } = await submitted
    assert.equal(status, 200, text.slice(0, 500))
    assert.match(text, notice)
  }
  /** Submits the undo that the page offers. */
  const offered = async ({ browser }: Admin, visit: Visit) => {
    const form = visit.forms.find(({ fields }) => fields['undo'] === 'yes')
    assert.ok(form, 'there is a way to undo it')
    return browser.submit(visit, {}, form)
  }
  /** Moves the last action back in time, beyond the limit for an undo. */
  const age = () =>
    queryText(
      service.db,
      `update audit_events set at = at - interval '61 minutes' where id = (select max(id) from audit_events)`,
      [],
    )

  it('restores the previous role, but only for the administrator who changed it', async () => {
    const { id } = await createUser(service)
    const path = `/accounts/${id}/role`
    await isRefused(() => undo(admin, path, { role: 'ADMIN' }), 'nothing was done before')
    await submitAction(admin, path, { role: 'MODERATOR' })
    await isRefused(() => undo(admin, path, { role: 'ADMIN' }), 'another role than before')
    await isRefused(() => undo(otherAdmin, path, { role: '' }), 'another administrator’s act')
    await submitAction(otherAdmin, path, { role: 'ADMIN' })
    await isRefused(() => undo(admin, path, { role: '' }), 'someone has acted since')
    assert.equal((await findAccount(service.db, id))?.role, 'ADMIN')
    await isDone(undo(otherAdmin, path, { role: 'MODERATOR' }), /Role changed/)
    await isDone(undo(otherAdmin, path, { role: 'ADMIN' }), /Role changed/)
    await submitAction(admin, path, { role: '' })
    await age()
    await isRefused(() => undo(admin, path, { role: 'MODERATOR' }), 'an act of long ago')
    await setRole(service.db, id, 'ADMIN')
    await isRefused(() => undo(admin, path, { role: '' }), 'an act of the command line')
  })

  it('restores an app’s previous limit or state', async () => {
    const { id } = await createUser(service)
    const { clientId } = await service.createApp({ accountId: id, clientName: 'An app' })
    const path = `/apps/${clientId}`
    await isRefused(() => undo(admin, `${path}/limit`, { limit: '5' }), 'no limit before')
    await isRefused(() => undo(admin, `${path}/disable`), 'it was never enabled')
    await submitAction(admin, `${path}/limit`, { limit: '7' })
    await isRefused(
      () => undo(admin, `${path}/limit`, { limit: '1000000' }),
      'not the limit before',
    )
    await isRefused(
      () => undo(otherAdmin, `${path}/limit`, { limit: '' }),
      'another administrator’s limit',
    )
    await submitAction(admin, `${path}/disable`)
    await isDone(undo(admin, `${path}/limit`, { limit: '' }), /Rate limit changed/)
    // A state that the developer has changed in the meantime is kept.
    await queryText(service.db, 'update apps set enabled = false where client_id = $1', [clientId])
    await isDone(undo(admin, `${path}/enable`), /App enabled/)
    const state = 'select enabled, blocked_at, requests_per_minute from apps where client_id = $1'
    assert.deepEqual(await queryText(service.db, state, [clientId]), [
      { enabled: false, blocked_at: null, requests_per_minute: null },
    ])
  })

  it('restores the state or limit of an app whose ID is a URL, which the log can be filtered by', async () => {
    const clientId = `https://agent.example/${'long/'.repeat(20)}app.json`
    await saveDocumentApp(service.db, {
      clientId,
      clientName: 'An agent',
      clientUri: null,
      redirectUris: ['http://127.0.0.1/back'],
    })
    const path = `/apps/${encodeURIComponent(clientId)}`
    const disabled = await submitAction(admin, `${path}/disable`)
    await isDone(offered(admin, disabled), /App enabled/)
    const limited = await submitAction(admin, `${path}/limit`, { limit: '7' })
    await isDone(offered(admin, limited), /Rate limit changed/)
    const log = await admin.browser.get(`/desk/log?app=${encodeURIComponent(clientId)}`)
    assert.equal(log.status, 200)
    assert.equal(log.forms.find(({ fields }) => 'app' in fields)?.fields['app'], clientId)
    assert.ok(log.text.includes(`href="/desk${path}"`))
  })

  it('lifts a ban only for the administrator who imposed it', async () => {
    const { id } = await createUser(service)
    await banAccount(service.db, id, 'By command.')
    await isRefused(() => undo(admin, `/accounts/${id}/unban`), 'a ban of the command line')
    await submitAction(admin, `/accounts/${id}/unban`)
    await submitAction(otherAdmin, `/accounts/${id}/ban`)
    await isRefused(() => undo(admin, `/accounts/${id}/unban`), 'another administrator’s ban')
    assert.ok((await findAccount(service.db, id))?.banned_at)
    await isDone(undo(otherAdmin, `/accounts/${id}/unban`), /Ban lifted/)
  })

  it('reverses a merge or an unmerge', async () => {
    const pair = { kind: 'galgame', from: String(works[1]), into: String(works[2]) }
    await isRefused(() => undo(admin, '/merges', pair), 'two that nobody has parted')
    await submitAction(admin, '/merges', pair)
    await isRefused(() => undo(otherAdmin, '/merges/undo', pair), 'another administrator’s merge')
    await isDone(undo(admin, '/merges/undo', pair), /Entries separated/)
    await isDone(undo(admin, '/merges', pair), /Entries merged/)
    await age()
    await isRefused(() => undo(admin, '/merges/undo', pair), 'a merge of long ago')
    await submitAction(admin, '/merges/undo', pair)
  })

  it('reopens a rejected match', async () => {
    const [match] = await queryText<{ id: number }>(
      service.db,
      `insert into matches (kind, source, external_id, other_source, other_external_id, rule)
       select 'person', one.source, one.external_id, other.source, other.external_id, 'same-name'
       from source_records one
       join source_records other on other.kind = 'person' and other.entry_id > one.entry_id
       where one.kind = 'person'
       order by one.entry_id, other.entry_id limit 1
       returning id`,
      [],
    )
    const path = `/matches/${match?.id}`
    for (const decision of ['accepted', 'rejected'])
      await isRefused(() => undo(admin, DECIDE, { match: String(match?.id), decision }), decision)
    assert.equal((await undo(admin, `${path}/reopen`)).status, 409, 'it waits already')
    await isDone(
      submitAction(admin, DECIDE, { match: String(match?.id), decision: 'rejected' }),
      /stays separate/,
    )
    await isRefused(() => undo(otherAdmin, `${path}/reopen`), 'another administrator’s decision')
    await isDone(undo(admin, `${path}/reopen`), /open for review again/)
    const state = 'select state, decided_at from matches where id = $1'
    assert.deepEqual(await queryText(service.db, state, [match?.id]), [
      { state: 'open', decided_at: null },
    ])
  })

  describe('for an accepted match', () => {
    const pairOf = async (name: string, loaded: ('vndb' | 'bangumi')[] = ['vndb', 'bangumi']) => {
      for (const source of loaded)
        await importRecords(service.db, source, [person(`${source}-${name}`)])
      const [pair] = await queryText<{ id: number }>(
        service.db,
        `insert into matches (kind, source, external_id, other_source, other_external_id, rule)
         values ('person', 'vndb', $1, 'bangumi', $2, 'same-name') returning id`,
        [`vndb-${name}`, `bangumi-${name}`],
      )
      return { id: pair?.id, path: `/matches/${pair?.id}` }
    }
    const stateOf = async (id: number | undefined) =>
      (
        await queryText<{ state: string }>(service.db, 'select state from matches where id = $1', [
          id,
        ])
      )[0]?.state
    const entriesOf = async (name: string) => {
      const text = `select distinct entry_id as id from source_records
        where kind = 'person' and external_id = any($1::text[]) order by entry_id`
      const found = await queryText<{ id: number }>(service.db, text, [
        [`vndb-${name}`, `bangumi-${name}`],
      ])
      return found.map(({ id }) => id)
    }
    const decide = (id: number | undefined, decision: string, seen = 'open') =>
      submitAction(admin, `${DECIDE}?state=${seen}`, { match: String(id), decision })
    it('unmerges its entries and reopens the pair', async () => {
      const { id, path } = await pairOf('waits')
      const separateEntries = await entriesOf('waits')
      const accepted = await decide(id, 'accepted')
      const [into] = await entriesOf('waits')
      const pair = {
        kind: 'person',
        from: String(separateEntries.find((entry) => entry !== into)),
        into: String(into),
      }
      await isRefused(
        () => undo(otherAdmin, `${path}/unaccept`, { to: 'open' }),
        'another administrator’s decision',
      )
      await isRefused(
        () => undo(admin, `${path}/unaccept`, { to: 'rejected' }),
        'it was not rejected before',
      )
      await isRefused(() => undo(admin, '/merges/undo', pair), 'it would be rejected')
      assert.equal((await entriesOf('waits')).length, 1)
      await isDone(offered(admin, accepted), /open for review again/)
      assert.deepEqual([await stateOf(id), await entriesOf('waits')], ['open', separateEntries])
      assert.equal(
        (await undo(admin, `${path}/unaccept`, { to: 'open' })).status,
        409,
        'it waits already',
      )
      await importRecords(service.db, 'vndb', [person('vndb-waits')])
      assert.deepEqual([await stateOf(id), await entriesOf('waits')], ['open', separateEntries])
      await decide(id, 'accepted')
      assert.equal((await entriesOf('waits')).length, 1)
    })

    it('is offered even if one record is not yet imported, but refused once an import has joined both records', async () => {
      const awayPair = await pairOf('away', ['vndb'])
      const accepted = await decide(awayPair.id, 'accepted')
      await isDone(offered(admin, accepted), /open for review again/)
      assert.equal(await stateOf(awayPair.id), 'open')
      await decide(awayPair.id, 'accepted')
      await importRecords(service.db, 'bangumi', [person('bangumi-away')])
      assert.equal((await entriesOf('away')).length, 1, 'the import has joined them')
      const refused = await undo(admin, `${awayPair.path}/unaccept`, { to: 'open' })
      assert.deepEqual([refused.status, await stateOf(awayPair.id)], [409, 'accepted'])
      assert.match(refused.text, /is already one entry/)
    })

    it('marks the pair as rejected again if it was rejected before', async () => {
      const { id, path } = await pairOf('apart')
      const separateEntries = await entriesOf('apart')
      await decide(id, 'rejected')
      const accepted = await decide(id, 'accepted', 'rejected')
      assert.equal((await entriesOf('apart')).length, 1)
      await isRefused(
        () => undo(admin, `${path}/unaccept`, { to: 'open' }),
        'it did not wait before',
      )
      await isDone(offered(admin, accepted), /stays separate/)
      assert.deepEqual([await stateOf(id), await entriesOf('apart')], ['rejected', separateEntries])
    })

    it('is not offered if both records already had one entry, and is refused if another match also joins them', async () => {
      const { id, path } = await pairOf('twice')
      await importRecords(service.db, 'vndb', [person('vndb-third')])
      const [second] = await queryText<{ id: number }>(
        service.db,
        `insert into matches (kind, source, external_id, other_source, other_external_id, rule)
         values ('person', 'bangumi', 'bangumi-twice', 'vndb', 'vndb-third', 'same-name') returning id`,
        [],
      )
      await queryText(
        service.db,
        `update source_records set entry_id = (
           select entry_id from source_records where kind = 'person' and external_id = 'vndb-twice'
         ) where kind = 'person' and external_id = 'vndb-third'`,
        [],
      )
      await decide(id, 'accepted')
      const acceptedSecond = await decide(second?.id, 'accepted')
      assert.ok(!acceptedSecond.forms.some(({ fields }) => fields['undo'] === 'yes'))
      const refused = await undo(admin, `${path}/unaccept`, { to: 'open' })
      assert.deepEqual([refused.status, await stateOf(id)], [409, 'accepted'])
      assert.match(refused.text, new RegExp(`Match ${second?.id} is already one entry`))
      assert.equal((await entriesOf('twice')).length, 1)
    })
  })

  it('restores the previous state of a field, from the sources or an override', async () => {
    const field = { kind: 'galgame', id: String(works[0]), field: 'trans_title' }
    const value = async () => {
      const text = `select fields -> 'trans_title' as value from source_records
        where source = 'local' and external_id = $1`
      return (await queryText<{ value: unknown }>(service.db, text, [`entry:${field.id}`]))[0]
        ?.value
    }
    await isRefused(() => undo(admin, '/entries/set', { ...field, value: 'x' }), 'it sets')
    await isRefused(() => undo(admin, '/entries/put-back', field), 'nothing was set before')
    const first = await submitAction(admin, '/entries/set', { ...field, value: 'First' })
    await isRefused(
      () => undo(otherAdmin, '/entries/unset', field),
      'another administrator has set it',
    )
    await isRefused(
      () => undo(admin, '/entries/put-back', field),
      'it was left to the sources before',
    )
    await isDone(offered(admin, first), /follows its sources again/)
    assert.equal(await value(), undefined)
    await submitAction(admin, '/entries/set', { ...field, value: 'First' })
    const long = `Second ${'x'.repeat(20_000)}`
    const second = await submitAction(otherAdmin, '/entries/set', { ...field, value: long })
    await isRefused(
      () => undo(otherAdmin, '/entries/unset', field),
      'it would not bring back the first',
    )
    await isRefused(
      () => undo(admin, '/entries/put-back', field),
      'another administrator has set it since',
    )
    const back = await offered(otherAdmin, second)
    await isDone(Promise.resolve(back), /Field set/)
    assert.equal(await value(), 'First')
    const repeated = await offered(otherAdmin, back)
    assert.equal(await value(), long, 'undone twice it is where it began')
    await offered(otherAdmin, repeated)
    const log = await otherAdmin.browser.get('/desk/log?kind=entry_field_set')
    assert.match(log.text, /before: &quot;Second x{400,500}…/)
    const unset = await submitAction(admin, '/entries/unset', field)
    await isRefused(
      () => undo(otherAdmin, '/entries/put-back', field),
      'another administrator has left it',
    )
    await isDone(offered(admin, unset), /Field set/)
    assert.equal(await value(), 'First')
    await submitAction(admin, '/entries/set', { ...field, value: 'Third' })
    const target = { kind: 'galgame', id: works[0] ?? 0, field: 'trans_title' } as const
    await setField(service.db, target, 'By command')
    await isRefused(() => undo(admin, '/entries/put-back', field), 'it was set by command since')
    await submitAction(admin, '/entries/set', { ...field, value: 'Fourth' })
    await age()
    await isRefused(() => undo(admin, '/entries/put-back', field), 'an act of long ago')
    assert.equal(await value(), 'Fourth')
  })

  it('restores content that the same moderator hid within the last hour, unless its owner has appealed', async () => {
    const hidden = async (author: TestUser) => {
      const reporter = await createUser(service)
      const key = { accountId: author.id, kind: 'galgame', workId: works[0] ?? 0 } as const
      const { id } = JSON.parse(await saveRating(service.db, key, null, { rate_content: 'Nasty.' }))
      const named = { kind: 'REVIEW', id: Number(id) } as const
      const created = await createReport(service.db, reporter.id, {
        named,
        reason: 'SPAM',
        note: '',
      })
      assert.ok('report' in created)
      await submitAction(admin, `/reports/${created.report.id}/hide`, { reason: 'SPAM' })
      return (await listOwnTakedowns(service.db, author.id))[0]?.id ?? 0
    }
    const [author, secondAuthor] = await Promise.all([createUser(service), createUser(service)])
    const takedown = await hidden(author)
    await isRefused(
      () => undo(otherAdmin, `/hidden/${takedown}/restore`),
      'another administrator has hidden it',
    )
    await queryText(
      service.db,
      `update takedowns set hidden_at = hidden_at - interval '61 minutes' where id = $1`,
      [takedown],
    )
    await isRefused(() => undo(admin, `/hidden/${takedown}/restore`), 'it was hidden long ago')
    const objected = await hidden(secondAuthor)
    await appealTakedown(service.db, secondAuthor.id, objected, 'It was kind.', {})
    await isRefused(
      () => undo(admin, `/hidden/${objected}/restore`),
      'its owner waits for an answer',
    )
    await isRefused(
      () => undo(otherAdmin, `/hidden/${objected}/reject`),
      'an objection is refused with a reason',
    )
    assert.equal((await findTakedown(service.db, objected))?.restored_at, null)
    const repeated = await hidden(await createUser(service))
    await isDone(undo(admin, `/hidden/${repeated}/restore`), /Visible again/)
  })
})
