import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { fingerprint, importRecords } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { onEmptyCatalog } from '#test/empty-catalog.ts'
import { sourceRecords } from '#test/source-records.ts'
import type { Database } from '../db/database.ts'
import { mergeEntries } from './merge/merge-entries.ts'
import { previewImport } from './preview.ts'
import type { SourceRecord } from '../sources/records/record.ts'

const { galgame, person, staff, sameAs } = sourceRecords

describeOnDatabase('previewImport', (engine) => {
  let db: Database
  const { run, read } = onEmptyCatalog(engine, (opened) => {
    db = opened.db
  })
  const whole = { isWhole: () => true }
  const preview = (...records: SourceRecord[]) =>
    previewImport(
      db,
      'vndb',
      async function* (report) {
        report.note({ code: 'relation.to_itself' }, 'v1')
        yield* records
      },
      whole,
    )
  const importAll = (...records: SourceRecord[]) =>
    importRecords(db, 'vndb', records, { ...whole, allowShrink: 'all' })

  const BEFORE = [
    galgame('v1', { origin_title: 'Clannad' }, staff('s1')),
    galgame('v2', { origin_title: 'Kanon' }),
    person('s1', { name: 'Maeda' }),
    person('s2', { name: 'Hinoue' }),
  ]
  const NEXT = [
    galgame('v1', { origin_title: 'Clannad', homepage: 'https://c' }, staff('s1')),
    galgame('v3', { origin_title: 'Air' }, {}, sameAs('bangumi', '3')),
    person('s1', { name: 'Maeda' }),
    person('s2', { name: 'Hinoue' }),
    person('s3'),
  ]

  it('returns the effects of the import with titles, and changes nothing', async () => {
    await run('bangumi', galgame('3', { origin_title: 'Air of Bangumi' }))
    await importAll(...BEFORE)
    await importAll(...BEFORE.slice(0, 3))
    const before = await fingerprint(db)
    const previewed = await preview(...NEXT)
    assert.deepEqual(await fingerprint(db), before)
    assert.deepEqual(previewed.examples, {
      created: [{ kind: 'person', external_id: 's3', title: 's3' }],
      changed: [{ kind: 'galgame', external_id: 'v1', title: 'Clannad' }],
      withdrawn: [{ kind: 'galgame', external_id: 'v2', title: 'Kanon' }],
      returned: [{ kind: 'person', external_id: 's2', title: 'Hinoue' }],
      joined: [{ kind: 'galgame', external_id: 'v3', title: 'Air', same_as: 'bangumi 3' }],
    })
    assert.deepEqual(previewed.joins, [{ kind: 'galgame', joined: 1, for_review: 0 }])
    assert.deepEqual(
      previewed.kinds.map(({ kind, created, joined }) => [kind, created, joined]),
      [
        ['galgame', 0, 1],
        ['person', 1, 0],
      ],
    )
    assert.deepEqual(previewed.remarks, [{ code: 'relation.to_itself', count: 1, example: 'v1' }])
    assert.deepEqual(previewed.kinds, (await importAll(...NEXT)).kinds)
  })

  it('counts each record of an entry separately, as the import does', async () => {
    await importAll(galgame('v1'), galgame('v2'))
    await mergeEntries(db, { kind: 'galgame', from: 2, into: 1 })
    const next = [galgame('v1', { homepage: 'https://c' }), galgame('v2')]
    const { kinds } = await preview(...next)
    assert.deepEqual(
      kinds.map(({ changed, unchanged }) => [changed, unchanged]),
      [[1, 1]],
    )
    assert.deepEqual(kinds, (await importAll(...next)).kinds)
  })

  it('lists everything that would shrink too much, and at most ten of the entries that would be withdrawn', async () => {
    const people = Array.from({ length: 20 }, (_, index) => person(`s${index}`))
    await importAll(...people)
    const { shrinks, examples, kinds } = await preview(person('s1'))
    assert.deepEqual(shrinks, [{ what: 'person', before: 20, lost: 19 }])
    assert.deepEqual([examples.withdrawn.length, kinds[0]?.withdrawn], [10, 19])
  })

  it('consumes no entry ids', async () => {
    await preview(...NEXT)
    await importAll(galgame('v1'))
    const { rows } = await sql`select id from works`.execute(db)
    assert.deepEqual(rows, [{ id: 1 }])
    assert.deepEqual(await read('galgames', 'id'), [['vndb:v1']])
  })

  it('consumes no pair ids or merge ids', async () => {
    await run(
      'bangumi',
      galgame('3', { origin_title: 'Air' }),
      galgame('4', { origin_title: 'Kanon' }),
    )
    await run(
      'vndb',
      galgame('v3', { origin_title: 'Air' }),
      galgame('v4', { origin_title: 'Clannad' }),
    )
    const next = [
      galgame('v3', { origin_title: 'Air' }, {}, sameAs('bangumi', '3')),
      galgame('v4', { origin_title: 'Kanon' }),
    ]
    const nextNumbers = async () => {
      const { rows } = await sql<{ pair: number; merge: number }>`
        select
          (select last_value + is_called::integer from matches_id_seq) as pair,
          (select last_value + is_called::integer from entry_merges_id_seq) as merge`.execute(db)
      return rows[0]
    }
    const before = await nextNumbers()
    const { joins } = await preview(...next)
    assert.deepEqual(joins, [{ kind: 'galgame', joined: 1, for_review: 1 }])
    assert.deepEqual(await nextNumbers(), before)
    await importAll(...next)
    const { pair = 0, merge = 0 } = (await nextNumbers()) ?? {}
    assert.deepEqual([pair > (before?.pair ?? 0), merge > (before?.merge ?? 0)], [true, true])
  })
})
