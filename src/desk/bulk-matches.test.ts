import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { signedInAs } from '#test/authorization.ts'
import type { PlainBrowser } from '#test/browser.ts'
import { importRecords } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { startService, type TestService } from '#test/service.ts'
import { sourceRecords } from '#test/source-records.ts'
import { queryText } from '../db/query.ts'

const { person, galgame, staff } = sourceRecords

const NAMES = ['Anna', 'Ben', 'Cleo']

describeOnDatabase('the review of matches', (engine) => {
  let service: TestService
  let admin: PlainBrowser
  let csrf: string
  before(async () => {
    service = await startService({ engine })
    admin = (await signedInAs(service, 'ADMIN')).browser
    csrf = (await admin.get('/desk/matches')).forms.at(-1)?.fields['_csrf'] ?? ''
    await importRecords(service.db, 'vndb', [
      ...NAMES.map((name) => person(`s-${name}`, { name })),
      galgame(
        'v-review',
        { origin_title: '原題', trans_title: '译名', en_title: 'Credited Work' },
        staff('s-Anna'),
      ),
    ])
    await importRecords(
      service.db,
      'bangumi',
      NAMES.map((name) => person(`p-${name}`, { name: `${name} of Bangumi` })),
    )
  })
  after(() => service.close())

  const rows = <Row>(text: string, values: unknown[] = []) =>
    queryText<Row>(service.db, text, values)
  let ids: number[]
  beforeEach(async () => {
    await rows('delete from matches')
    await rows(`delete from audit_events where kind like 'match_%'`)
    const added = await rows<{ id: number }>(
      `insert into matches (kind, source, external_id, other_source, other_external_id, rule, evidence)
       select 'person', 'vndb', 's-' || name, 'bangumi', 'p-' || name, rule, evidence::jsonb
       from unnest(
         $1::text[],
         '{same-name,name-in-work,link}'::text[],
         array['{"same_name": true}', '{"same_name": true, "days_apart": 3}', '{"contradicted_by": "gender birthday"}']
       ) with ordinality as pair (name, rule, evidence, place)
       order by place
       returning id`,
      [NAMES],
    )
    ids = added.map(({ id }) => id)
  })
  const formOf = (match: readonly (number | string)[], decision: string) =>
    new URLSearchParams([
      ['_csrf', csrf],
      ['note', 'Compared.'],
      ['decision', decision],
      ...match.map((id) => ['match', String(id)]),
    ])
  const decide = (match: readonly (number | string)[], decision: string, query = '') =>
    admin.post(`/desk/matches/decide${query}`, formOf(match, decision))
  const states = async () =>
    (await rows<{ state: string }>('select state from matches order by id')).map(
      ({ state }) => state,
    )
  const decisions = async () =>
    (
      await rows<{ kind: string }>(
        `select kind from audit_events where kind like 'match_%' order by (details ->> 'match')::bigint`,
      )
    ).map(({ kind }) => kind)
  const entriesOf = async (name: string) =>
    (
      await rows<{ count: number }>(
        `select count(distinct entry_id) as count from source_records where external_id = any($1::text[])`,
        [[`s-${name}`, `p-${name}`]],
      )
    )[0]?.count

  it('lists the most likely pair first, with the facts of both entries', async () => {
    const { text } = await admin.get('/desk/matches')
    const shown = [...text.matchAll(/name="match" value="(\d+)"/g)].map(([, id]) => Number(id))
    const [sameName, nameInWork, contradicted] = ids
    assert.deepEqual(shown, [nameInWork, sameName, contradicted])
    for (const fact of [
      'Anna of Bangumi',
      'Credited Work',
      'https://vndb.org/s-Anna',
      'https://bgm.tv/person/p-Anna',
      '3 days apart',
      'contradicted by gender, birthday',
    ])
      assert.ok(text.includes(fact), fact)
  })

  it('lists only pairs that pass every filter', async () => {
    for (const [query, count] of [
      ['rule=link', 1],
      ['source=bangumi', 3],
      ['source=ranobedb', 0],
      ['kind=person&source=vndb&rule=same-name', 1],
      ['kind=galgame', 0],
      ['state=rejected', 0],
    ] as const) {
      const { text } = await admin.get(`/desk/matches?${query}`)
      assert.equal([...text.matchAll(/name="match"/g)].length, count, query)
    }
    for (const query of ['rule=none', 'source=mal', 'kind=light_novel_volume'])
      assert.equal((await admin.get(`/desk/matches?${query}`)).status, 422, query)
  })

  it('rejects several pairs at once and records each decision', async () => {
    const { text } = await decide(ids.slice(0, 2), 'rejected', '?kind=person')
    assert.match(text, /selected pairs stay separate/)
    assert.deepEqual(await states(), ['rejected', 'rejected', 'open'])
    assert.deepEqual(await decisions(), ['match_rejected', 'match_rejected'])
  })

  it('skips pairs that were decided since the page was opened, and says so', async () => {
    await rows(`update matches set state = 'rejected' where id = $1`, [ids[0]])
    const some = await decide(ids.slice(0, 2), 'rejected')
    assert.match(some.text, /already decided some of these pairs/)
    assert.deepEqual(await decisions(), ['match_rejected'])
    const none = await decide(ids.slice(0, 2), 'accepted')
    assert.match(none.text, /already decided this/)
    assert.deepEqual(await states(), ['rejected', 'rejected', 'open'])
    assert.deepEqual(await decisions(), ['match_rejected'])
  })

  it('changes nothing if the selection is empty, too large or invalid', async () => {
    const thousand = Array.from({ length: 1_000 }, (_item, index) => index + 1)
    for (const match of [[], thousand, ['x', '-1', '1.5', '9'.repeat(30), 's-Anna']]) {
      const { status, text } = await decide(match, 'accepted')
      assert.deepEqual([status, /Select 1 to 25 pairs/.test(text)], [422, true], String(match[0]))
    }
    assert.match((await decide([999_999_999], 'rejected')).text, /already decided this/)
    await decide(ids, 'open')
    assert.deepEqual(await states(), ['open', 'open', 'open'])
    assert.deepEqual(await decisions(), [])
  })

  it('hides the form from moderators', async () => {
    const { browser } = await signedInAs(service, 'MODERATOR')
    const { status } = await browser.post('/desk/matches/decide', formOf(ids, 'accepted'))
    assert.equal(status, 404)
    assert.deepEqual(await states(), ['open', 'open', 'open'])
  })

  it('compares two entries before they are merged', async () => {
    const [pair] = await rows<{ from: number; into: number }>(
      `select one.entry_id as from, other.entry_id as into
       from source_records one, source_records other
       where one.external_id = 's-Ben' and other.external_id = 's-Cleo'`,
    )
    assert.ok(pair)
    const path = `/desk/merges?kind=person&from=${pair.from}&into=${pair.into}`
    const { text } = await admin.get(path)
    for (const fact of ['>Ben<', '>Cleo<', 'Unmerging does not undo everything'])
      assert.ok(text.includes(fact), fact)
    const missing = await admin.get(`/desk/merges?kind=person&from=${pair.from}&into=987654321`)
    assert.equal(missing.status, 409)
    assert.equal(await entriesOf('Ben'), 2, 'comparing merges nothing')
  })

  it('merges several pairs at once', async () => {
    const { text } = await decide(ids.slice(1), 'accepted')
    assert.match(text, /selected pairs were merged/)
    assert.deepEqual(await states(), ['open', 'accepted', 'accepted'])
    assert.deepEqual(await decisions(), ['match_accepted', 'match_accepted'])
    assert.deepEqual(
      [await entriesOf('Anna'), await entriesOf('Ben'), await entriesOf('Cleo')],
      [2, 1, 1],
    )
    const joined = await decide(ids.slice(1), 'rejected', '?state=accepted')
    assert.deepEqual([joined.status, /is already one entry/.test(joined.text)], [409, true])
  })
})
