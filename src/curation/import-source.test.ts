import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { fingerprint } from '#test/catalog.ts'
import { describeOnEachDatabase } from '#test/databases.ts'
import { onEmptyCatalog } from '#test/empty-catalog.ts'
import { sourceRecords } from '#test/source-records.ts'
import { formatRemarks } from '#test/format-remarks.ts'
import { type Database } from '../db/database.ts'
import type { SourceRecord } from '../sources/records/record.ts'

const { galgame, novel, volume, person, character, staff, sameAs } = sourceRecords

describeOnEachDatabase('importSource', (engine) => {
  let db: Database
  const { run, read } = onEmptyCatalog(engine, (opened) => {
    db = opened.db
  })

  describe('importSource with equal records', () => {
    const cast = galgame(
      'v1',
      { tags: [{ name: 'a', likes: 3 }], release_date: '2004-04-28', created_at: '2008-01-01' },
      {
        ...staff('s1', 's2'),
        characters: [
          { ref: 'c1', role: 'MAIN', actors: [{ ref: 's1', credited_as: 'S' }, { ref: 's2' }] },
        ],
        producers: [{ ref: 'p1', role: 'DEVELOPER' }],
        relations: [{ ref: 'v2', relation: 'SEQUEL' }],
      },
      sameAs('bangumi', '1'),
    )
    const records = [
      cast,
      galgame('v2'),
      person('s1'),
      person('s2'),
      character('c1', { height: 170.126 }),
      { kind: 'producer', external_id: 'p1', fields: { name: 'p1' } } satisfies SourceRecord,
      novel('n1', { volumes: [{ ref: 'b1' }], people: [{ ref: 's1', relation: 'AUTHOR' }] }),
      volume('b1', { volume_number: 1.005 }),
    ]

    it('writes no row and sends no signal', async () => {
      const first = await run('vndb', ...records)
      assert.deepEqual(
        first.kinds.map(({ kind, created }) => [kind, created]),
        [
          ['character', 1],
          ['galgame', 2],
          ['light_novel', 1],
          ['light_novel_volume', 1],
          ['person', 2],
          ['producer', 1],
        ],
      )
      const before = await fingerprint(db)
      const second = await run('vndb', ...records)
      assert.deepEqual(await fingerprint(db), before)
      assert.ok(second.kinds.every(({ created, changed }) => created + changed === 0))
    })

    it('writes only the changed record', async () => {
      await run('vndb', ...records)
      const before = await fingerprint(db)
      await run('vndb', ...records.with(2, person('s1', { intro: 'New.' })))
      const untouched = new Set(await fingerprint(db))
      const changed = before
        .filter((print) => !untouched.has(print))
        .map((print) => print.split(' ')[0])
      assert.deepEqual(changed, ['people', 'source_records', 'change_signals'])
    })

    it('counts new, changed and unchanged records', async () => {
      await run('vndb', galgame('v1'), galgame('v2'))
      const { kinds } = await run(
        'vndb',
        galgame('v1'),
        galgame('v2', { homepage: 'https://a' }),
        galgame('v3'),
      )
      assert.deepEqual(kinds, [
        {
          kind: 'galgame',
          created: 1,
          joined: 0,
          changed: 1,
          unchanged: 1,
          withdrawn: 0,
          returned: 0,
        },
      ])
    })
  })

  describe('importSource with a record', () => {
    it('skips and reports the record if it has no name, unless it is a volume', async () => {
      const { remarks } = await run(
        'vndb',
        galgame('v1', { origin_title: '' }),
        galgame('v2', { origin_title: '\0' }),
        { kind: 'person', external_id: 's1', fields: {} },
        galgame('v3'),
        novel('n1', { volumes: [{ ref: 'b1' }] }),
        { kind: 'light_novel_volume', external_id: 'b1', fields: {} },
      )
      assert.deepEqual(formatRemarks(remarks), [
        { remark: 'galgame without a name; skipped', count: 2, example: 'v1' },
        { remark: 'person without a name; skipped', count: 1, example: 's1' },
      ])
      assert.deepEqual(await read('galgames', 'id'), [['vndb:v3']])
      assert.deepEqual(await read('light_novel_volumes', 'name'), [[null]])
    })

    it('rejects the import if the kind of the record is unknown', async () => {
      // as: a kind that the compiler would reject
      const circle = {
        kind: 'circle',
        external_id: 'c1',
        fields: { name: 'c' },
      } as unknown as SourceRecord
      await assert.rejects(run('vndb', circle), /c1: there are no records of kind "circle"/)
      assert.deepEqual(await read('works', 'id'), [])
    })

    it('assigns an id from the sequence of its kind: works share one sequence, volumes have their own', async () => {
      await run(
        'vndb',
        person('s1'),
        novel('n1', { volumes: [{ ref: 'b1' }] }),
        { kind: 'light_novel_volume', external_id: 'b1', fields: {} },
        { kind: 'producer', external_id: 'p1', fields: { name: 'p' } },
        galgame('v1'),
        character('c1'),
        { kind: 'manga_volume', external_id: 'w1', fields: {} },
        {
          kind: 'manga',
          external_id: 'm1',
          fields: { name: 'm' },
          links: { volumes: [{ ref: 'w1' }] },
        },
      )
      const idsOf = async (table: string) =>
        (
          await sql<{ id: number }>`select id from ${sql.table(table)} order by id`.execute(db)
        ).rows.map(({ id }) => id)
      for (const table of [
        'people',
        'producers',
        'characters',
        'light_novel_volumes',
        'manga_volumes',
      ])
        assert.deepEqual(await idsOf(table), [1], table)
      assert.deepEqual(await idsOf('works'), [1, 2, 3])
      assert.deepEqual(
        [await idsOf('light_novels'), await idsOf('galgames'), await idsOf('mangas')],
        [[1], [2], [3]],
      )
    })

    it('uses only the first of several records with the same id, and reports the others', async () => {
      const others = Array.from({ length: 600 }, (_, index) => person(`s${index}`))
      const { remarks } = await run(
        'vndb',
        galgame('v1', { origin_title: 'first' }),
        galgame('v1', { origin_title: 'second' }),
        ...others,
        galgame('v1', { origin_title: 'third, much later' }),
        person('v1'),
      )
      assert.deepEqual(formatRemarks(remarks), [
        {
          remark: 'IDs that occur twice in one source; the first record is used',
          count: 2,
          example: 'galgame v1',
        },
      ])
      assert.deepEqual(await read('galgames', 'origin_title'), [['first']])
    })

    it('accepts values that PostgreSQL cannot store: NUL, a lone surrogate, a number that is not finite', async () => {
      await run(
        'vndb',
        character('c\0 1', { name: 'a\0b\ud800', aliases: ['\udc00絵', '😀'], height: Number.NaN }),
        {
          kind: 'manga',
          external_id: 'm1',
          fields: { name: 'm', editions: [{ label: 'x', fields: { 'k\0\ud800': 'v\0' } }] },
        },
      )
      assert.deepEqual(await read('characters', 'name', 'aliases', 'height'), [
        ['ab\ufffd', ['\ufffd絵', '😀'], null],
      ])
      assert.deepEqual(await read('mangas', 'editions'), [
        [[{ label: 'x', fields: { 'k\ufffd': 'v' } }]],
      ])
    })
  })
})
