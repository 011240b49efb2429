import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { emptyCatalog, fingerprint, readCatalog } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { onEmptyCatalog } from '#test/empty-catalog.ts'
import { sourceRecords } from '#test/source-records.ts'
import { formatRemarks } from '#test/format-remarks.ts'
import { type Database } from '../db/database.ts'
import type { GalgameLinks } from '../sources/records/record-links.ts'
import type { SameAs, Source } from '../sources/records/record.ts'

const { galgame, novel, volume, person, character, staff, sameAs } = sourceRecords

describeOnDatabase('several sources', (engine) => {
  let db: Database
  const { run, read, staffOf } = onEmptyCatalog(engine, (opened) => {
    db = opened.db
  })

  describe('the order in which two sources are imported', () => {
    const vndb = [
      galgame(
        'v1',
        { origin_title: 'V', aliases: ['v'] },
        staff('s1', 's2'),
        sameAs('bangumi', '1'),
      ),
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

    it('does not affect the resulting catalog', async () => {
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

  describe('an entry from two sources', () => {
    const SOURCES: Source[] = ['local', 'vndb', 'ranobedb', 'bangumi']
    const CHINESE_SOURCES: Source[] = ['local', 'bangumi', 'vndb', 'ranobedb']

    it('takes each field from the better source if that source states the field', async () => {
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

    const RANKS = [
      ['each outranks the next', SOURCES, 'name'],
      [
        'of Chinese names and texts Bangumi’s outrank those of others',
        CHINESE_SOURCES,
        'trans_name',
      ],
    ] as const
    for (const [name, sources, field] of RANKS)
      it(`is the same whichever source is imported first: ${name}`, async () => {
        for (const [index, better] of sources.entries())
          for (const worse of sources.slice(index + 1))
            for (const order of [
              [better, worse],
              [worse, better],
            ]) {
              await emptyCatalog(db)
              for (const source of order) {
                const other = source === better ? worse : better
                await run(source, person('1', { name: 'A', [field]: source }, sameAs(other, '1')))
              }
              assert.deepEqual(await read('people', field), [[better]])
            }
      })

    it('takes a removed field from the other source, and uses the default if no source states the field', async () => {
      const same = sameAs('bangumi', '1')
      await run('bangumi', galgame('1', { trans_title: 'b' }))
      await run(
        'vndb',
        galgame('v1', { trans_title: 'v', aliases: ['a'], dev_status: 'RELEASED' }, {}, same),
      )
      await run('vndb', galgame('v1', {}, {}, same))
      assert.deepEqual(await read('galgames', 'trans_title', 'aliases', 'dev_status'), [
        ['b', ['1'], null],
      ])
    })

    it('uses the whole list of the better source unless that list is empty', async () => {
      const same = sameAs('bangumi', '1')
      await run('bangumi', person('7'), person('8'), galgame('1', {}, staff('7', '8')))
      await run('vndb', person('s1'), galgame('v1', {}, staff('s1'), same))
      assert.deepEqual(await staffOf('bangumi:1'), ['vndb:s1'])
      await run('vndb', galgame('v1', {}, staff(), same))
      assert.deepEqual(await staffOf('bangumi:1'), ['bangumi:7', 'bangumi:8'])
    })
  })

  describe('a work’s list', () => {
    it('omits targets that have not been imported, and includes them once they have', async () => {
      await run('vndb', galgame('v1', {}, staff('s1', 's2', 's3')), person('s3'))
      assert.deepEqual(await staffOf('vndb:v1'), ['vndb:s3'])
      await run('vndb', person('s1'))
      assert.deepEqual(await staffOf('vndb:v1'), ['vndb:s1', 'vndb:s3'])
    })

    it('drops removed items, and adopts a new order', async () => {
      const people = ['s1', 's2', 's3'].map((id) => person(id))
      await run('vndb', ...people, galgame('v1', {}, staff('s1', 's2', 's3')))
      await run('vndb', galgame('v1', {}, staff('s3', 's1', 's2')))
      assert.deepEqual(await staffOf('vndb:v1'), ['vndb:s3', 'vndb:s1', 'vndb:s2'])
      await run('vndb', galgame('v1', {}, staff('s2')))
      assert.deepEqual(await staffOf('vndb:v1'), ['vndb:s2'])
      await run('vndb', galgame('v1'))
      assert.deepEqual(await staffOf('vndb:v1'), [])
    })

    it('contains each character once, and adopts a new order of characters and voice actors', async () => {
      const staffNames = ['s1', 's2']
        .map((id) => person(id))
        .concat(character('c1'), character('c2'))
      const cast = (...refs: string[]) =>
        galgame(
          'v1',
          {},
          {
            characters: refs.map((ref, index) => ({
              ref,
              role: 'MAIN',
              actors: [{ ref: `s${index + 1}` }],
            })),
          },
        )
      await run('vndb', ...staffNames, cast('c1', 'c2', 'c1'))
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

    it('contains a person at most once per role', async () => {
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

    it('keeps its id when it moves to another work, or when it returns after no list contained it', async () => {
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

    it('is updated even if only its own record changes', async () => {
      await run('ranobedb', novel('n1', shelf('b1')), volume('b1', { volume_number: 1 }))
      await run('ranobedb', volume('b1', { volume_number: 2.5, covers: [] }))
      assert.deepEqual(await read('light_novel_volumes', 'volume_number'), [[2.5]])
    })

    it('listed by two works belongs to the work with the lower id, and to the other once the first drops it', async () => {
      await run('ranobedb', novel('n2', shelf('b1')), novel('n1', shelf('b1')), volume('b1'))
      assert.deepEqual(await read('light_novel_volumes', 'light_novel_id'), [['ranobedb:n1']])
      // The list of n1 in the better source does not contain b1. n2 is not part of this import and still gets b1.
      await run(
        'local',
        { ...novel('n1', shelf('x1')), same_as: sameAs('ranobedb', 'n1') },
        volume('x1'),
      )
      assert.deepEqual(await read('light_novel_volumes', 'light_novel_id', 'id'), [
        ['local:n1', 'local:x1'],
        ['ranobedb:n2', 'ranobedb:b1'],
      ])
    })
  })

  describe('records from two sources, one of which states an id in the other', () => {
    it('are joined, whichever source states the id or is imported first', async () => {
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

    it('are not joined across kinds', async () => {
      await run('bangumi', person('1'))
      await run('vndb', galgame('1', {}, {}, sameAs('bangumi', '1')))
      assert.equal((await read('works', 'id')).length + (await read('people', 'id')).length, 2)
    })

    it('have their entries merged under the older id if both already exist', async () => {
      await run('bangumi', galgame('1', { trans_title: 'b' }))
      await run('vndb', galgame('v1'))
      const { remarks } = await run('vndb', galgame('v1', {}, {}, sameAs('bangumi', '1')))
      assert.deepEqual(formatRemarks(remarks), [
        { remark: 'duplicates that were merged', count: 1, example: 'vndb v1, bangumi 1' },
      ])
      assert.deepEqual(await read('galgames', 'id', 'origin_title', 'trans_title'), [
        ['bangumi:1', 'v1', 'b'],
      ])
      const { rows } = await sql`select kind, id, merged_into from merged_entries`.execute(db)
      assert.deepEqual(rows, [{ kind: 'galgame', id: 2, merged_into: 1 }])
      const before = await fingerprint(db)
      assert.deepEqual(
        (await run('vndb', galgame('v1', {}, {}, sameAs('bangumi', '1')))).remarks,
        [],
      )
      assert.deepEqual(await fingerprint(db), before)
    })

    it('stay joined when the source replaces a different stated id, which is then deleted', async () => {
      await run('bangumi', galgame('1'), galgame('2'))
      const novel = (...same_as: SameAs[]) => galgame('v1', {}, {}, same_as)
      await run('vndb', novel(...sameAs('bangumi', '1'), { source: 'mal', external_id: '7' }))
      const stated = () => read('source_same_as', 'source', 'other_source', 'other_external_id')
      assert.deepEqual(await stated(), [
        ['vndb', 'bangumi', '1'],
        ['vndb', 'mal', '7'],
      ])
      const { kinds } = await run(
        'vndb',
        novel(...sameAs('bangumi', '1'), { source: 'anilist', external_id: '8' }),
      )
      assert.deepEqual(
        kinds.map(({ changed }) => changed),
        [1],
      )
      assert.deepEqual(await stated(), [
        ['vndb', 'anilist', '8'],
        ['vndb', 'bangumi', '1'],
      ])
      const unchanged = await run('vndb', novel())
      assert.equal(unchanged.kinds[0]?.changed, 1)
      assert.deepEqual(await stated(), [])
      assert.deepEqual(
        (await read('source_records', 'source', 'external_id')).map((record) => record.join(' ')),
        ['bangumi 1', 'bangumi 2', 'vndb v1'],
      )
      assert.equal((await read('galgames', 'id')).length, 2)
      // Links stated by other sources stay.
      await run('bangumi', galgame('1', {}, {}, sameAs('vndb', 'v1')), galgame('2'))
      await run('vndb', novel())
      assert.deepEqual(await stated(), [['bangumi', 'vndb', 'v1']])
    })

    it('never join two entries from one source', async () => {
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
      assert.deepEqual(formatRemarks(remarks), [
        {
          remark:
            'duplicates of an entry that already has a record from the same source; listed for review',
          count: 1,
          example: 'vndb v2, bangumi 1',
        },
        {
          remark: 'possible duplicates, listed for review (“mokuroku matches list”)',
          count: 1,
          example: undefined,
        },
      ])
      await run('vndb', galgame('v3', {}, {}, sameAs('bangumi', '1')))
      assert.deepEqual(await read('works', 'id'), [['bangumi:1'], ['vndb:v2'], ['vndb:v3']])
    })
  })
})
