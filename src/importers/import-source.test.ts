import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { emptyCatalog, fingerprint, importRecords, readCatalog, type Row } from '#test/catalog.ts'
import { asAdmin, createDatabase, onEachDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open.ts'
import { openDatabase, type Database } from '../db/database.ts'
import { importSource } from './import-source.ts'
import type { CharacterFields, GalgameFields, PersonFields } from './record-fields.ts'
import type { GalgameLinks, LightNovelLinks } from './record-links.ts'
import type { Source, SourceRecord } from './record.ts'

type VolumeFields = Extract<SourceRecord, { kind: 'light_novel_volume' }>['fields']
type Same = { source: Source; external_id: string }[]

const galgame = (
  external_id: string,
  fields: Partial<GalgameFields> = {},
  links: Partial<GalgameLinks> = {},
  same_as: Same = [],
): SourceRecord => ({
  kind: 'galgame',
  external_id,
  fields: { origin_title: external_id, ...fields },
  links,
  same_as,
})
const novel = (external_id: string, links: Partial<LightNovelLinks> = {}): SourceRecord => ({
  kind: 'light_novel',
  external_id,
  fields: { name: external_id },
  links,
})
const volume = (external_id: string, fields: VolumeFields = {}): SourceRecord => ({
  kind: 'light_novel_volume',
  external_id,
  fields: { name: external_id, ...fields },
})
const person = (
  external_id: string,
  fields: Partial<PersonFields> = {},
  same_as: Same = [],
): SourceRecord => ({ kind: 'person', external_id, fields: { name: external_id, ...fields }, same_as })
const character = (external_id: string, fields: Partial<CharacterFields> = {}): SourceRecord => ({
  kind: 'character',
  external_id,
  fields: { name: external_id, ...fields },
})
const staff = (...refs: string[]): Partial<GalgameLinks> => ({
  staff: refs.map((ref) => ({ ref, role: 'SCENARIO' })),
})
const sameAs = (source: Source, external_id: string): Same => [{ source, external_id }]

onEachDatabase('importSource', (engine) => {
  let test: OpenTestDatabase
  let db: Database
  before(async () => {
    test = await openTestDatabase(engine)
    db = test.db
  })
  beforeEach(() => emptyCatalog(db))
  after(() => test.remove())

  const run = (source: Source, ...records: SourceRecord[]) => importRecords(db, source, records)
  /** Some columns of a table's rows, ids as `source:external_id`. */
  const read = async (table: string, ...columns: string[]) => {
    const rows = (await readCatalog(db))[table] ?? []
    return rows.map((row: Row) => columns.map((column) => row[column]))
  }
  const staffOf = (work: string) =>
    read('galgame_staff', 'galgame_id', 'person_id').then((rows) =>
      rows.filter(([owner]) => owner === work).map(([, who]) => who),
    )

  describe('run again', () => {
    const cast = galgame(
      'v1',
      { tags: [{ name: 'a', likes: 3 }], release_date: '2004-04-28', created_at: '2008-01-01' },
      {
        ...staff('s1', 's2'),
        characters: [{ ref: 'c1', role: 'MAIN', actors: [{ ref: 's1', credited_as: 'S' }, { ref: 's2' }] }],
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

    it('writes not one row, and signals nothing', async () => {
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

    it('with one change writes that alone', async () => {
      await run('vndb', ...records)
      const before = await fingerprint(db)
      await run('vndb', ...records.with(2, person('s1', { intro: 'New.' })))
      const untouched = new Set(await fingerprint(db))
      const changed = before.filter((print) => !untouched.has(print)).map((print) => print.split(' ')[0])
      assert.deepEqual(changed, ['people', 'source_records', 'change_signals'])
    })

    it('counts what is new, changed and as it was', async () => {
      await run('vndb', galgame('v1'), galgame('v2'))
      const { kinds } = await run(
        'vndb',
        galgame('v1'),
        galgame('v2', { homepage: 'https://a' }),
        galgame('v3'),
      )
      assert.deepEqual(kinds, [{ kind: 'galgame', created: 1, changed: 1, unchanged: 1 }])
    })
  })

  describe('the order of two sources', () => {
    const vndb = [
      galgame('v1', { origin_title: 'V', aliases: ['v'] }, staff('s1', 's2'), sameAs('bangumi', '1')),
      galgame('v2'),
      person('s1', {}, sameAs('bangumi', '7')),
      person('s2'),
    ]
    const bangumi = [
      galgame('1', { origin_title: 'B', trans_title: 'b', nsfw: true }, staff('7')),
      galgame('2', {}, staff('7', '8')),
      person('7', { name: 'B7', intro: 'from bangumi' }),
      person('8'),
    ]

    it('does not matter', async () => {
      await run('vndb', ...vndb)
      await run('bangumi', ...bangumi)
      const one = await readCatalog(db)
      assert.equal(one['works']?.length, 3)
      assert.equal(one['people']?.length, 3)
      await emptyCatalog(db)
      await run('bangumi', ...bangumi)
      await run('vndb', ...vndb)
      assert.deepEqual(await readCatalog(db), one)
    })
  })

  describe('of two sources', () => {
    const SOURCES: Source[] = ['local', 'vndb', 'ranobedb', 'bangumi']

    it('the better one is believed field by field, and silence is no word', async () => {
      await run(
        'bangumi',
        galgame('1', { origin_title: 'B', trans_title: 'b', nsfw: true, homepage: 'https://b' }),
      )
      await run(
        'vndb',
        galgame(
          'v1',
          { origin_title: 'V', trans_title: '', aliases: [], nsfw: false },
          {},
          sameAs('bangumi', '1'),
        ),
      )
      const row = (await readCatalog(db))['galgames']?.[0]
      assert.deepEqual(
        [row?.['origin_title'], row?.['trans_title'], row?.['homepage']],
        ['V', 'b', 'https://b'],
      )
      assert.deepEqual(await read('works', 'nsfw'), [[false]])
    })

    it('each outranks the next, whichever comes first', async () => {
      for (const [place, better] of SOURCES.entries())
        for (const worse of SOURCES.slice(place + 1))
          for (const order of [
            [better, worse],
            [worse, better],
          ]) {
            await emptyCatalog(db)
            for (const source of order) {
              const other = source === better ? worse : better
              await run(source, person('1', { name: source }, sameAs(other, '1')))
            }
            assert.deepEqual(await read('people', 'name'), [[better]])
          }
    })

    it('a field the better one no longer speaks of falls to the other, and one nobody speaks of to its default', async () => {
      const same = sameAs('bangumi', '1')
      await run('bangumi', galgame('1', { trans_title: 'b' }))
      await run('vndb', galgame('v1', { trans_title: 'v', aliases: ['a'], dev_status: 'RELEASED' }, {}, same))
      await run('vndb', galgame('v1', {}, {}, same))
      assert.deepEqual(await read('galgames', 'trans_title', 'aliases', 'dev_status'), [['b', [], null]])
    })

    it('the better one gives the whole list, and an empty list is no word', async () => {
      const same = sameAs('bangumi', '1')
      await run('bangumi', person('7'), person('8'), galgame('1', {}, staff('7', '8')))
      await run('vndb', person('s1'), galgame('v1', {}, staff('s1'), same))
      assert.deepEqual(await staffOf('bangumi:1'), ['vndb:s1'])
      await run('vndb', galgame('v1', {}, staff(), same))
      assert.deepEqual(await staffOf('bangumi:1'), ['bangumi:7', 'bangumi:8'])
    })
  })

  describe('a list', () => {
    it('passes over what is not loaded, and has it once a later import brings it', async () => {
      await run('vndb', galgame('v1', {}, staff('s1', 's2', 's3')), person('s3'))
      assert.deepEqual(await staffOf('vndb:v1'), ['vndb:s3'])
      await run('vndb', person('s1'))
      assert.deepEqual(await staffOf('vndb:v1'), ['vndb:s1', 'vndb:s3'])
    })

    it('loses what is removed, and follows a new order', async () => {
      const people = ['s1', 's2', 's3'].map((id) => person(id))
      await run('vndb', ...people, galgame('v1', {}, staff('s1', 's2', 's3')))
      await run('vndb', galgame('v1', {}, staff('s3', 's1', 's2')))
      assert.deepEqual(await staffOf('vndb:v1'), ['vndb:s3', 'vndb:s1', 'vndb:s2'])
      await run('vndb', galgame('v1', {}, staff('s2')))
      assert.deepEqual(await staffOf('vndb:v1'), ['vndb:s2'])
      await run('vndb', galgame('v1'))
      assert.deepEqual(await staffOf('vndb:v1'), [])
    })

    it('of the cast is unique, in the new order, with its actors', async () => {
      const everybody = ['s1', 's2'].map((id) => person(id)).concat(character('c1'), character('c2'))
      const cast = (...refs: string[]) =>
        galgame(
          'v1',
          {},
          {
            characters: refs.map((ref, place) => ({ ref, role: 'MAIN', actors: [{ ref: `s${place + 1}` }] })),
          },
        )
      await run('vndb', ...everybody, cast('c1', 'c2', 'c1'))
      assert.deepEqual(await read('galgame_characters', 'position', 'character_id'), [
        [1, 'vndb:c1'],
        [2, 'vndb:c2'],
      ])
      await run('vndb', cast('c2', 'c1'))
      assert.deepEqual(await read('galgame_characters', 'position', 'character_id'), [
        [1, 'vndb:c2'],
        [2, 'vndb:c1'],
      ])
      assert.deepEqual(await read('galgame_character_actors', 'character_id', 'person_id'), [
        ['vndb:c1', 'vndb:s2'],
        ['vndb:c2', 'vndb:s1'],
      ])
    })

    it('names somebody once a role, as often as there are roles', async () => {
      const links: Partial<GalgameLinks> = {
        staff: [
          { ref: 's1', role: 'SCENARIO' },
          { ref: 's1', role: 'ART' },
          { ref: 's1', role: 'SCENARIO', credited_as: 'again' },
          { ref: 's1', role: null },
          { ref: 's1', role: null },
        ],
      }
      await run('vndb', person('s1'), galgame('v1', {}, links))
      assert.deepEqual(await read('galgame_staff', 'position', 'role', 'credited_as'), [
        [1, 'SCENARIO', null],
        [2, 'ART', null],
        [3, null, null],
      ])
    })
  })

  describe('a volume', () => {
    const shelf = (...refs: string[]) => ({ volumes: refs.map((ref) => ({ ref })) })

    it('moves from one work to another, keeps its id, and goes with the list that named it', async () => {
      await run('ranobedb', novel('n1', shelf('b1', 'b2')), novel('n2'), volume('b1'), volume('b2'))
      const ids = () => sql`select id from light_novel_volumes order by id`.execute(db)
      const { rows } = await ids()
      await run('ranobedb', novel('n1', shelf('b2')), novel('n2', shelf('b1')))
      assert.deepEqual(await read('light_novel_volumes', 'light_novel_id', 'id'), [
        ['ranobedb:n2', 'ranobedb:b1'],
        ['ranobedb:n1', 'ranobedb:b2'],
      ])
      assert.deepEqual((await ids()).rows, rows)
      await run('ranobedb', novel('n1'), novel('n2', shelf('b1')))
      assert.deepEqual(await read('light_novel_volumes', 'id'), [['ranobedb:b1']])
      await run('ranobedb', novel('n1', shelf('b2')))
      assert.deepEqual((await ids()).rows, rows)
    })

    it('changes when only its own record does', async () => {
      await run('ranobedb', novel('n1', shelf('b1')), volume('b1', { volume_number: 1 }))
      await run('ranobedb', volume('b1', { volume_number: 2.5, covers: [] }))
      assert.deepEqual(await read('light_novel_volumes', 'volume_number'), [[2.5]])
    })

    it('that two works name is of the first by id, and of the other once that one lets it go', async () => {
      await run('ranobedb', novel('n2', shelf('b1')), novel('n1', shelf('b1')), volume('b1'))
      assert.deepEqual(await read('light_novel_volumes', 'light_novel_id'), [['ranobedb:n1']])
      // A better source's list of n1 has no place for it: n2 was not imported now, and gets it all the same.
      await run('local', { ...novel('n1', shelf('x1')), same_as: sameAs('ranobedb', 'n1') }, volume('x1'))
      assert.deepEqual(await read('light_novel_volumes', 'light_novel_id', 'id'), [
        ['local:n1', 'local:x1'],
        ['ranobedb:n2', 'ranobedb:b1'],
      ])
    })
  })

  describe('a record', () => {
    it('without a name is left out and reported, a volume without one is not', async () => {
      const { remarks } = await run(
        'vndb',
        galgame('v1', { origin_title: '' }),
        galgame('v2', { origin_title: '\0' }),
        { kind: 'person', external_id: 's1', fields: {} },
        galgame('v3'),
        novel('n1', { volumes: [{ ref: 'b1' }] }),
        { kind: 'light_novel_volume', external_id: 'b1', fields: {} },
      )
      assert.deepEqual(remarks, [
        { remark: 'galgame without a name: left out', count: 2, example: 'v1' },
        { remark: 'person without a name: left out', count: 1, example: 's1' },
      ])
      assert.deepEqual(await read('galgames', 'id'), [['vndb:v3']])
      assert.deepEqual(await read('light_novel_volumes', 'name'), [[null]])
    })

    it('of no kind there is stops the import: it gets no id of another kind', async () => {
      // as: what the compiler would refuse
      const circle = { kind: 'circle', external_id: 'c1', fields: { name: 'c' } } as unknown as SourceRecord
      await assert.rejects(run('vndb', circle), /c1: there are no records of kind "circle"/)
      assert.deepEqual(await read('works', 'id'), [])
    })

    it('gets an id of its own kind; works share one sequence, volumes have theirs', async () => {
      await run(
        'vndb',
        person('s1'),
        novel('n1', { volumes: [{ ref: 'b1' }] }),
        { kind: 'light_novel_volume', external_id: 'b1', fields: {} },
        { kind: 'producer', external_id: 'p1', fields: { name: 'p' } },
        galgame('v1'),
        character('c1'),
        { kind: 'manga_volume', external_id: 'w1', fields: {} },
        { kind: 'manga', external_id: 'm1', fields: { name: 'm' }, links: { volumes: [{ ref: 'w1' }] } },
      )
      const idsOf = async (table: string) =>
        (await sql<{ id: number }>`select id from ${sql.table(table)} order by id`.execute(db)).rows.map(
          ({ id }) => id,
        )
      for (const table of ['people', 'producers', 'characters', 'light_novel_volumes', 'manga_volumes'])
        assert.deepEqual(await idsOf(table), [1], table)
      assert.deepEqual(await idsOf('works'), [1, 2, 3])
      assert.deepEqual(
        [await idsOf('light_novels'), await idsOf('galgames'), await idsOf('mangas')],
        [[1], [2], [3]],
      )
    })

    it('that comes twice counts the first time, and each further time is reported', async () => {
      const others = Array.from({ length: 600 }, (_, place) => person(`s${place}`))
      const { remarks } = await run(
        'vndb',
        galgame('v1', { origin_title: 'first' }),
        galgame('v1', { origin_title: 'second' }),
        ...others,
        galgame('v1', { origin_title: 'third, much later' }),
        person('v1'),
      )
      assert.deepEqual(remarks, [
        { remark: 'the same id twice in one source: the first counts', count: 2, example: 'galgame v1' },
      ])
      assert.deepEqual(await read('galgames', 'origin_title'), [['first']])
    })

    it('may hold what PostgreSQL cannot: NUL, half a surrogate pair, a number that is none', async () => {
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
      assert.deepEqual(await read('mangas', 'editions'), [[[{ label: 'x', fields: { 'k\ufffd': 'v' } }]]])
    })
  })

  describe('that two sources mean the same', () => {
    it('may be known to either, whichever is loaded first', async () => {
      for (const knowing of ['vndb', 'bangumi'] as const)
        for (const order of [
          ['vndb', 'bangumi'],
          ['bangumi', 'vndb'],
        ] as const) {
          await emptyCatalog(db)
          for (const source of order) {
            const other = source === 'vndb' ? 'bangumi' : 'vndb'
            await run(source, galgame('1', {}, {}, knowing === source ? sameAs(other, '1') : []))
          }
          assert.deepEqual(await read('works', 'id'), [['bangumi:1']])
        }
    })

    it('does not join entries of different kinds', async () => {
      await run('bangumi', person('1'))
      await run('vndb', galgame('1', {}, {}, sameAs('bangumi', '1')))
      assert.equal((await read('works', 'id')).length + (await read('people', 'id')).length, 2)
    })

    it('leaves entries apart that both exist already, and says so each time', async () => {
      await run('bangumi', galgame('1'))
      await run('vndb', galgame('v1'))
      for (const round of [1, 2]) {
        const { remarks } = await run('vndb', galgame('v1', {}, {}, sameAs('bangumi', '1')))
        assert.deepEqual(
          remarks,
          [
            {
              remark: 'known to be the same as another entry, but both exist already: left apart',
              count: 1,
              example: 'v1',
            },
          ],
          `run ${round}`,
        )
      }
      assert.equal((await read('works', 'id')).length, 2)
    })

    it('never makes one entry of two of the same source', async () => {
      const vndb = [
        galgame('v1', {}, {}, sameAs('bangumi', '1')),
        galgame('v2', {}, {}, sameAs('bangumi', '1')),
      ]
      await run('vndb', ...vndb)
      await run('bangumi', galgame('1'))
      const one = await readCatalog(db)
      await emptyCatalog(db)
      await run('bangumi', galgame('1'))
      const { remarks } = await run('vndb', ...vndb)
      assert.deepEqual(await readCatalog(db), one)
      assert.deepEqual(await read('works', 'id'), [['bangumi:1'], ['vndb:v2']])
      assert.deepEqual(remarks, [
        {
          remark: 'known to be the same as an entry that is another one of this source: left apart',
          count: 1,
          example: 'v2',
        },
      ])
      await run('vndb', galgame('v3', {}, {}, sameAs('bangumi', '1')))
      assert.deepEqual(await read('works', 'id'), [['bangumi:1'], ['vndb:v2'], ['vndb:v3']])
    })
  })

  describe('the times of an entry', () => {
    type Times = { created_at: Date; updated_at: Date; revised_at: Date | null }
    const timesOf = async (table: string) => {
      const { rows } = await sql<Times>`
        select created_at, updated_at, revised_at from ${sql.table(table)} order by id`.execute(db)
      const [times] = rows
      assert.ok(times)
      return times
    }
    const CASES: [table: string, make: (fields: { intro?: string }) => SourceRecord][] = [
      [
        'works',
        ({ intro }) => galgame('1', { ...(intro !== undefined && { origin_intro: intro }) }, staff('s1')),
      ],
      ['people', (fields) => person('1', fields)],
    ]

    for (const [table, make] of CASES)
      it(`are those of the import, and change with what the entry shows (${table})`, async () => {
        await run('vndb', make({ intro: 'old' }))
        const first = await timesOf(table)
        assert.deepEqual([first.updated_at, first.revised_at], [first.created_at, null])
        await sleep(5)
        await run('vndb', make({ intro: 'new' }))
        const second = await timesOf(table)
        assert.ok(second.updated_at > first.updated_at)
        assert.deepEqual(second, { ...first, updated_at: second.updated_at, revised_at: second.updated_at })
      })

    it('stay when a better source hides what changed, or only a list did', async () => {
      await run('bangumi', galgame('1', { origin_intro: 'b' }), person('7'))
      await run('vndb', galgame('v1', { origin_intro: 'v' }, {}, sameAs('bangumi', '1')))
      const before = await timesOf('works')
      await sleep(5)
      await run('bangumi', galgame('1', { origin_intro: 'hidden' }, staff('7')))
      assert.deepEqual(await staffOf('bangumi:1'), ['bangumi:7'])
      assert.deepEqual(await timesOf('works'), before)
    })

    it('change with nsfw and tags too', async () => {
      await run('vndb', galgame('1'))
      const before = await timesOf('works')
      await sleep(5)
      await run('vndb', galgame('1', { tags: [{ name: 'a', likes: 1 }] }))
      const tagged = await timesOf('works')
      assert.ok(tagged.updated_at > before.updated_at)
      await sleep(5)
      await run('vndb', galgame('1', { tags: [{ name: 'a', likes: 1 }], nsfw: true }))
      assert.ok((await timesOf('works')).updated_at > tagged.updated_at)
    })

    it('are the source’s own where it tells them, a day at midnight UTC, and never go back', async () => {
      const said = { created_at: '2008-02-03', updated_at: '2024-05-06', revised_at: '2024-05-06' }
      const day = (text: string) => new Date(`${text}T00:00:00.000Z`)
      const asDays = {
        created_at: day('2008-02-03'),
        updated_at: day('2024-05-06'),
        revised_at: day('2024-05-06'),
      }
      await run('vndb', galgame('1', said))
      assert.deepEqual(await timesOf('works'), asDays)
      await run('vndb', galgame('1', { ...said, updated_at: '2024-06-01', revised_at: '2024-06-01' }))
      const later = { ...asDays, updated_at: day('2024-06-01'), revised_at: day('2024-06-01') }
      assert.deepEqual(await timesOf('works'), later)
      await run('vndb', galgame('1', said))
      assert.deepEqual(await timesOf('works'), later)
      await run('vndb', galgame('1', { ...said, homepage: 'https://a' }))
      const now = await timesOf('works')
      assert.ok(now.updated_at > day('2025-01-01'))
      assert.deepEqual(now.revised_at, now.updated_at)
    })
  })

  describe('an import', () => {
    it('whose reader fails in the middle leaves nothing', async () => {
      await run('vndb', galgame('v1'))
      const before = await fingerprint(db)
      const broken = importSource(db, 'vndb', async function* () {
        for (let number = 0; number < 700; number += 1) yield person(`s${number}`)
        yield galgame('v1', { origin_title: 'changed' })
        throw new Error('vn_staff:12: 3 columns')
      })
      await assert.rejects(broken, { message: 'vn_staff:12: 3 columns' })
      assert.deepEqual(await fingerprint(db), before)
    })

    it('with a value the catalog refuses leaves nothing', async () => {
      await assert.rejects(
        run('vndb', galgame('v1'), character('c1', { birthday_month: 13 })),
        /birthday_month/,
      )
      assert.deepEqual(await read('galgames', 'id'), [])
    })

    it('is seen by readers whole or not at all', async () => {
      await run('vndb', galgame('v1'))
      const titles = () => read('galgames', 'origin_title')
      let during = Promise.resolve<unknown[]>([])
      await importSource(db, 'vndb', async function* () {
        yield* Array.from({ length: 700 }, (_, place) => galgame(`v${place}`, { origin_title: 'new' }))
        during = titles()
        // A server answers during the import; the one connection of the embedded database only after it.
        if (engine === 'server') await during
      })
      const seen = await during
      if (engine === 'server') assert.deepEqual(seen, [['v1']])
      else assert.deepEqual([seen.length, seen[0]], [700, ['new']])
      assert.equal((await titles()).length, 700)
    })

    it('waits for the one before it', async () => {
      const elsewhere = engine === 'server' ? await test.again() : { db, close: async () => {} }
      const events: string[] = []
      const slow = (where: Database, name: string) =>
        importSource(where, 'vndb', async function* () {
          events.push(`${name} begins`)
          yield galgame('v1', { origin_title: name }, staff('s1'), sameAs('bangumi', '1'))
          await sleep(100)
          yield person('s1', { name })
          events.push(`${name} has read`)
        })
      const [one, two] = await Promise.all([slow(db, 'A'), slow(elsewhere.db, 'B')])
      const [first, second] = events[0] === 'A begins' ? ['A', 'B'] : ['B', 'A']
      assert.deepEqual(
        events,
        [first, second].flatMap((name) => [`${name} begins`, `${name} has read`]),
      )
      assert.deepEqual([one, two].map(({ kinds }) => kinds.map(({ created }) => created).join()).toSorted(), [
        '0,0',
        '1,1',
      ])
      assert.deepEqual(await read('galgames', 'origin_title'), [[second]])
      await elsewhere.close()
    })

    it('signals a change of the catalog with the change itself', async () => {
      const revision = async () => {
        const { rows } = await sql<{ revision: number }>`
          select revision from change_signals where topic = 'catalog'`.execute(db)
        return rows[0]?.revision ?? 0
      }
      const before = await revision()
      await run('vndb', galgame('v1'))
      assert.equal(await revision(), before + 1)
    })

    it('tells its progress, and in the end how many records there were', async () => {
      const counts: number[] = []
      await importSource(
        db,
        'vndb',
        async function* () {
          for (let number = 0; number < 1_100; number += 1) yield person(`s${number}`)
        },
        (count) => void counts.push(count),
      )
      assert.deepEqual(counts, [500, 1_000, 1_100])
    })
  })
})

describe('an import into a server with a time zone of its own', () => {
  it('reads a day as midnight UTC', async () => {
    const place = await createDatabase('server', 'empty')
    const url = place.databaseUrl ?? ''
    await asAdmin(url, `alter database "${new URL(url).pathname.slice(1)}" set timezone to 'Asia/Tokyo'`)
    const { db, close } = await openDatabase({
      ...place,
      databasePoolSize: 1,
      databasePreparedStatements: true,
    })
    await importRecords(db, 'vndb', [
      person('s1', { created_at: '2008-02-03' }),
      galgame('v1', { created_at: '2008-02-03' }),
    ])
    const { rows } = await sql`
      select created_at from people union all select created_at from works`.execute(db)
    const midnight = { created_at: new Date('2008-02-03T00:00:00Z') }
    assert.deepEqual(rows, [midnight, midnight])
    await close()
    await place.remove()
  })
})
