import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { emptyCatalog } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { onEmptyCatalog } from '#test/empty-catalog.ts'
import { sourceRecords } from '#test/source-records.ts'
import type { Database } from '../../db/database.ts'
import { mergeEntries, unmergeEntries } from '../merge/merge-entries.ts'
import { splitRecord } from '../merge/split-record.ts'
import type { SourceRecord } from '../../sources/records/record.ts'
import { listMatches } from './list-matches.ts'

const { galgame, character, person, volume, staff, sameAs } = sourceRecords

const novel = (id: string, volumes: string[], mal?: string): SourceRecord => ({
  kind: 'light_novel',
  external_id: id,
  fields: { name: id },
  same_as: mal === undefined ? [] : [{ source: 'mal', external_id: mal }],
  links: { volumes: volumes.map((ref) => ({ ref })) },
})
const printed = (record: SourceRecord, ...isbns: string[]): SourceRecord => ({
  ...record,
  same_as: isbns.map((isbn) => ({ source: 'isbn', external_id: isbn })),
})
const [ISBN, OTHER_ISBN] = ['9784041000014', '9781975384999']

describeOnDatabase('a work from several sources', (engine) => {
  let db: Database
  const { run } = onEmptyCatalog(engine, (opened) => {
    db = opened.db
  })

  const RANOBEDB = (mal?: string) => [
    printed(volume('b1', { volume_number: 1, isbns: [ISBN] }), ISBN),
    volume('b2', { volume_number: 2 }),
    volume('b3', { volume_type: 'EXTRA', volume_number: 1 }),
    novel('1', ['b1', 'b2', 'b3'], mal),
  ]
  const BANGUMI = (mal?: string) => [
    printed(volume('w1', { name_cn: '一', isbns: [OTHER_ISBN, ISBN] }), ISBN),
    volume('w2', { volume_number: 2, name_cn: '二', page_count: 250 }),
    volume('w3', { volume_number: 3 }),
    novel('11', ['w1', 'w2', 'w3'], mal),
  ]

  type Listed = {
    id: number
    name: string
    name_cn: string | null
    page_count: number | null
    isbns: string[]
  }
  async function listed(): Promise<Listed[]> {
    const { rows } = await sql<Listed>`
      select id, name, name_cn, page_count, isbns from light_novel_volumes order by light_novel_id, position`.execute(
      db,
    )
    return rows
  }
  const namesAndIds = async () => (await listed()).map(({ id, name }) => `${id} ${name}`)
  const idOf = async (source: string, id: string, kind = 'light_novel') => {
    const { rows } = await sql<{ entry_id: number }>`
      select entry_id from source_records where kind = ${kind} and source = ${source} and external_id = ${id}`.execute(
      db,
    )
    return rows[0]?.entry_id ?? 0
  }
  const EXPECTED = [
    ['b1', '一', null, [ISBN, OTHER_ISBN]],
    ['b2', '二', 250, []],
    ['w3', null, null, []],
    ['b3', null, null, []],
  ]
  const shown = async () =>
    (await listed()).map(({ name, name_cn, page_count, isbns }) => [
      name,
      name_cn,
      page_count,
      isbns,
    ])

  describe('volumes of joined novels', () => {
    it('are joined by ISBN, or else by type and number, whichever source is imported first', async () => {
      for (const order of [
        ['ranobedb', 'bangumi'],
        ['bangumi', 'ranobedb'],
      ] as const) {
        await emptyCatalog(db)
        for (const source of order)
          await run(source, ...(source === 'bangumi' ? BANGUMI : RANOBEDB)('7'))
        assert.deepEqual(await shown(), EXPECTED)
        const [first, , added] = await listed()
        assert.equal(await idOf('bangumi', 'w1', 'light_novel_volume'), first?.id)
        assert.equal(await idOf('bangumi', 'w3', 'light_novel_volume'), added?.id)
        const before = await namesAndIds()
        await run('ranobedb', ...RANOBEDB('7'))
        assert.deepEqual(await namesAndIds(), before, 'the second import changes nothing')
      }
    })

    it('keep the ids that were shown before the other source was imported', async () => {
      await emptyCatalog(db)
      await run('bangumi', ...BANGUMI('7'))
      const [first, second] = await listed()
      await run('ranobedb', ...RANOBEDB('7'))
      assert.deepEqual(
        (await listed()).slice(0, 2).map(({ id, name }) => [id, name]),
        [
          [first?.id, 'b1'],
          [second?.id, 'b2'],
        ],
      )
    })

    it('stay separate if there are two candidates', async () => {
      await emptyCatalog(db)
      await run('ranobedb', volume('b1', { volume_number: 1 }), novel('1', ['b1'], '7'))
      await run(
        'bangumi',
        volume('w1', { volume_number: 1, name_cn: '一' }),
        volume('w2', { volume_number: 1 }),
        novel('11', ['w1', 'w2'], '7'),
      )
      assert.deepEqual(await shown(), [['b1', null, null, []]])
    })

    it('are listed for review if only the other source has a volume with the same number', async () => {
      await emptyCatalog(db)
      await run(
        'ranobedb',
        volume('b1', { volume_number: 1 }),
        printed(volume('b2', { volume_number: 2 }), ISBN),
        novel('1', ['b1', 'b2'], '7'),
      )
      await run(
        'bangumi',
        volume('w5', { volume_number: 5 }),
        volume('w4', { volume_number: 4 }),
        volume('extra', { volume_type: 'EXTRA', volume_number: 1 }),
        volume('unnumbered'),
        volume('twice', { volume_number: 9 }),
        volume('twice-too', { volume_number: 9 }),
        printed(volume('one-book', { volume_number: 7 }), ISBN),
        printed(volume('one-book-too', { volume_number: 8 }), ISBN),
        novel(
          '11',
          ['w5', 'w4', 'extra', 'unnumbered', 'twice', 'twice-too', 'one-book', 'one-book-too'],
          '7',
        ),
      )
      const names = async () => (await listed()).map(({ name }) => name)
      assert.deepEqual(await names(), ['b1', 'b2', 'w4', 'w5', 'extra'])
      const { rows } = await sql<{ source: string }>`
        select record.source
        from light_novel_volumes volume
        join source_records record on record.kind = 'light_novel_volume' and record.entry_id = volume.id
        order by volume.position`.execute(db)
      assert.deepEqual(
        rows.map(({ source }) => source),
        ['ranobedb', 'ranobedb', 'bangumi', 'bangumi', 'bangumi'],
      )
      await run('ranobedb', volume('b4', { volume_number: 4 }), novel('1', ['b1', 'b2', 'b4'], '7'))
      assert.deepEqual(await names(), ['b1', 'b2', 'b4', 'w5', 'extra'])
      await run('ranobedb', volume('b4'))
      assert.deepEqual(
        await names(),
        ['b1', 'b2', 'b4'],
        'a volume without a number may be any of them',
      )
    })

    it('are ordered by type and number if both sources number them, or else as in the better source', async () => {
      const names = async () => (await listed()).map(({ name }) => name)
      const ranobedb = [
        volume('b4', { volume_number: 4 }),
        volume('b-extra', { volume_type: 'EXTRA', volume_number: 1 }),
        volume('b2', { volume_number: 2 }),
        novel('1', ['b2', 'b-extra', 'b4'], '7'),
      ]
      const bangumi = [
        volume('w1', { volume_number: 1 }),
        volume('w2', { volume_number: 2 }),
        volume('w3', { volume_number: 3.5 }),
        volume('w-extra', { volume_type: 'EXTRA', volume_number: 0.5 }),
        novel('11', ['w1', 'w2', 'w3', 'w-extra'], '7'),
      ]
      for (const order of [
        ['ranobedb', 'bangumi'],
        ['bangumi', 'ranobedb'],
      ] as const) {
        await emptyCatalog(db)
        for (const source of [...order, ...order])
          await run(source, ...(source === 'bangumi' ? bangumi : ranobedb))
        assert.deepEqual(
          await names(),
          ['w1', 'b2', 'w3', 'b4', 'w-extra', 'b-extra'],
          order.join(),
        )
      }
      await run('bangumi', volume('w1'), volume('w3'), volume('w-extra'))
      assert.deepEqual(await names(), ['b2', 'b-extra', 'b4'])
    })

    it('are separated, with their former ids, when a merge of their works is undone', async () => {
      await emptyCatalog(db)
      const separate = (records: SourceRecord[]) =>
        records.map((record) => ({ ...record, same_as: [] }))
      await run('ranobedb', ...separate(RANOBEDB()))
      await run('bangumi', ...separate(BANGUMI()))
      const before = await namesAndIds()
      const pair = {
        kind: 'light_novel',
        from: await idOf('bangumi', '11'),
        into: await idOf('ranobedb', '1'),
      } as const
      await mergeEntries(db, pair)
      await run('bangumi', ...separate(BANGUMI()))
      assert.deepEqual((await shown())[1], EXPECTED[1])
      assert.equal((await listed()).length, 4)
      await unmergeEntries(db, pair)
      assert.deepEqual(await namesAndIds(), before)
      await run('bangumi', ...separate(BANGUMI()))
      assert.deepEqual(await namesAndIds(), before)
    })
  })

  describe('splitRecord with a record that was joined by its first import', () => {
    it('splits off the record with its volumes, and later imports keep it separate', async () => {
      await emptyCatalog(db)
      await run('ranobedb', ...RANOBEDB('7'))
      await run('bangumi', ...BANGUMI('7'))
      const joined = await idOf('ranobedb', '1')
      assert.equal(await idOf('bangumi', '11'), joined)
      const record = {
        kind: 'light_novel',
        source: 'bangumi',
        externalId: '11',
        from: joined,
      } as const
      const { id, done } = await splitRecord(db, record)
      assert.ok(done && id !== joined)
      assert.equal((await splitRecord(db, record)).done, false)
      const separate = await listed()
      assert.deepEqual(
        separate.map(({ name }) => name),
        ['b1', 'b2', 'b3', 'w1', 'w2', 'w3'],
      )
      for (const source of ['bangumi', 'ranobedb'] as const)
        await run(source, ...(source === 'bangumi' ? BANGUMI : RANOBEDB)('7'))
      assert.deepEqual(await listed(), separate)
      assert.equal(await idOf('bangumi', '11'), id)
    })

    it('rejects the only record of an entry, a missing record, and a record that came from a merge', async () => {
      await emptyCatalog(db)
      await run('ranobedb', novel('1', []))
      await run('bangumi', novel('11', []))
      const [from, into] = [await idOf('bangumi', '11'), await idOf('ranobedb', '1')]
      const split = (source: string, externalId: string) =>
        splitRecord(db, { kind: 'light_novel', source, externalId, from: into })
      await assert.rejects(
        split('ranobedb', '1'),
        /^EntryRefusedError: ranobedb:1 is the only record of \d+\.$/,
      )
      await assert.rejects(split('bangumi', '11'), /has no record bangumi:11/)
      await mergeEntries(db, { kind: 'light_novel', from, into })
      await assert.rejects(split('bangumi', '11'), new RegExp(`unmerge ${from} ${into}`))
    })
  })

  it('keeps people separate and lists them for review if the name of one is only an alias of the other', async () => {
    await emptyCatalog(db)
    await run(
      'vndb',
      person('s1', { name: '麻枝准', aliases: ['Maeda Jun'] }),
      person('s2', { name: 'Key' }),
      character('c1', { name: 'Nagisa' }),
      galgame(
        'v1',
        {},
        { ...staff('s1', 's2'), characters: [{ ref: 'c1', role: 'MAIN', actors: [] }] },
      ),
    )
    await run(
      'bangumi',
      person('1', { name: 'MAEDA JUN' }),
      person('2', { name: '別人' }),
      character('3', { name: '渚', aliases: ['Nagisa'] }),
      galgame(
        '9',
        {},
        { ...staff('1', '2'), characters: [{ ref: '3', role: 'MAIN', actors: [] }] },
        sameAs('vndb', 'v1'),
      ),
    )
    assert.notEqual(await idOf('vndb', 's1', 'person'), await idOf('bangumi', '1', 'person'))
    const { items } = await listMatches(db, { state: 'open', page: 1, pageSize: 10 })
    assert.deepEqual(
      items.map(
        ({ rule, kind, one, other }) => `${rule} ${kind}: ${one.external_id}, ${other.external_id}`,
      ),
      ['alias-in-work character: c1, 3', 'alias-in-work person: s1, 1'],
    )
  })
})
