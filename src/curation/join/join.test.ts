import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { emptyCatalog, readCatalog } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { onEmptyCatalog } from '#test/empty-catalog.ts'
import { createAccounts, writeRating } from '#test/ratings.ts'
import { sourceRecords } from '#test/source-records.ts'
import type { Database } from '../../db/database.ts'
import type { LightNovelLinks } from '../../sources/records/record-links.ts'
import type { SameAs, Source, SourceRecord } from '../../sources/records/record.ts'
import { listMatches } from './list-matches.ts'
import { acceptMatches, rejectMatch } from './review.ts'

const { galgame, person, character, staff } = sourceRecords

const novel = (
  external_id: string,
  name: string,
  {
    date,
    links = {},
    same_as = [],
  }: { date?: string; links?: Partial<LightNovelLinks>; same_as?: SameAs[] } = {},
): SourceRecord => ({
  kind: 'light_novel',
  external_id,
  fields: { name, publication_date: date },
  links,
  same_as,
})
const volume = (external_id: string, volume_number: number, isbn: string): SourceRecord => ({
  kind: 'light_novel_volume',
  external_id,
  fields: { name: external_id, volume_number },
  same_as: [{ source: 'isbn', external_id: isbn }],
})
const producer = (external_id: string, name: string): SourceRecord => ({
  kind: 'producer',
  external_id,
  fields: { name },
})
const volumes = (...refs: string[]) => ({ volumes: refs.map((ref) => ({ ref })) })
const by = (ref: string) => ({ people: [{ ref, relation: 'author' }] })

describeOnDatabase('records from several sources', (engine) => {
  let db: Database
  const { joined, run } = onEmptyCatalog(engine, (opened) => {
    db = opened.db
  })

  async function reviewed(state: 'open' | 'rejected' = 'open'): Promise<string[]> {
    const { items } = await listMatches(db, { state, page: 1, pageSize: 50 })
    return items
      .map(
        ({ rule, one, other }) =>
          `${rule}: ${one.source} ${one.external_id}, ${other.source} ${other.external_id}`,
      )
      .toSorted()
  }
  type Loads = Partial<Record<Source, SourceRecord[]>>
  /** Imports the sources in every possible order, and checks the result of each order. */
  async function inEachOrder(loads: Loads, check: () => Promise<void>) {
    // as: the keys of this object
    const sources = Object.keys(loads) as Source[]
    for (const order of permutationsOf(sources)) {
      await emptyCatalog(db)
      for (const source of order) await run(source, ...(loads[source] ?? []))
      await check()
    }
  }

  describe('records that share an id at another site', () => {
    const mal = (id: string): SameAs[] => [{ source: 'mal', external_id: id }]

    it('are joined, whichever source is imported first', () =>
      inEachOrder(
        {
          ranobedb: [
            novel('1', 'A', { same_as: mal('7') }),
            novel('2', 'B', { same_as: mal('8') }),
          ],
          bangumi: [
            novel('11', 'a', { same_as: mal('7') }),
            novel('12', 'x', { same_as: mal('9') }),
          ],
        },
        async () => assert.deepEqual(await joined(), ['bangumi 11, ranobedb 1']),
      ))

    it('join the closest of several candidates, by title and then by date, and list the others for review', () =>
      inEachOrder(
        {
          vndb: [
            galgame('v3', { origin_title: '水月', release_date: '2002-04-26' }, {}, [
              { source: 'bangumi', external_id: '229849' },
              { source: 'bangumi', external_id: '1094' },
            ]),
          ],
          bangumi: [
            galgame('229849', { origin_title: '水月〜迷心〜', release_date: '2004-01-01' }),
            galgame('1094', { origin_title: '水 月', release_date: '2002-04-26' }),
          ],
        },
        async () => {
          assert.deepEqual(await joined(), ['bangumi 1094, vndb v3'])
          assert.deepEqual(await reviewed(), ['link: vndb v3, bangumi 229849'])
        },
      ))
  })

  describe('novels with a common ISBN', () => {
    const SERIES = [
      novel('1', 'A', { links: volumes('b1', 'b2') }),
      volume('b1', 1, '9784000000011'),
      volume('b2', 2, '9784000000028'),
    ]

    it('join if volume numbers and title agree', () =>
      inEachOrder(
        {
          ranobedb: SERIES,
          bangumi: [novel('11', 'A', { links: volumes('w2') }), volume('w2', 2, '9784000000028')],
        },
        async () => assert.deepEqual(await joined(), ['bangumi 11, ranobedb 1']),
      ))

    it('are listed for review if the volume numbers differ', () =>
      inEachOrder(
        {
          ranobedb: SERIES,
          bangumi: [novel('11', 'A', { links: volumes('w3') }), volume('w3', 3, '9784000000028')],
        },
        async () => {
          assert.deepEqual(await joined(), [])
          assert.deepEqual(await reviewed(), ['isbn: ranobedb 1, bangumi 11'])
        },
      ))

    it('join if a book without volumes has the ISBN of the only volume, and are listed for review otherwise', () =>
      inEachOrder(
        {
          ranobedb: [
            ...SERIES,
            novel('2', 'B', { links: volumes('b9') }),
            volume('b9', 1, '9784000000035'),
          ],
          bangumi: [
            novel('11', 'A', { same_as: [{ source: 'isbn', external_id: '9784000000011' }] }),
            novel('12', 'B', { same_as: [{ source: 'isbn', external_id: '9784000000035' }] }),
          ],
        },
        async () => {
          assert.deepEqual(await joined(), ['bangumi 12, ranobedb 2'])
          assert.deepEqual(await reviewed(), ['isbn: ranobedb 1, bangumi 11'])
        },
      ))

    it('are not joined by the ISBN of a box set', () =>
      inEachOrder(
        {
          ranobedb: [
            ...SERIES,
            novel('2', 'B', { links: volumes('b9') }),
            volume('b9', 1, '9784000000011'),
          ],
          bangumi: [novel('11', 'A', { links: volumes('w1') }), volume('w1', 1, '9784000000011')],
        },
        async () => {
          assert.deepEqual(await joined(), [])
          assert.equal((await reviewed()).length, 2)
        },
      ))
  })

  describe('novels with the same title', () => {
    const authored = (
      source: Source,
      date: string | undefined,
      author = '竜騎士07',
    ): SourceRecord[] => [
      person(`a-${source}`, { name: author }),
      novel(
        `n-${source}`,
        source === 'bangumi' ? 'ソード・アート・オンライン' : 'ソードアート オンライン',
        { ...(date !== undefined && { date }), links: by(`a-${source}`) },
      ),
    ]

    it('join if the author agrees and first dates differ by at most 90 days, and their authors join too', () =>
      inEachOrder(
        {
          ranobedb: authored('ranobedb', '2009-04-10'),
          bangumi: authored('bangumi', '2009-07-09'),
        },
        async () =>
          assert.deepEqual(await joined(), [
            'bangumi a-bangumi, ranobedb a-ranobedb',
            'bangumi n-bangumi, ranobedb n-ranobedb',
          ]),
      ))

    for (const [name, records] of Object.entries({
      'the date is 91 days off': authored('bangumi', '2009-07-10'),
      'there is no date': authored('bangumi', undefined),
      'the author is another': authored('bangumi', '2009-04-10', '奈須きのこ'),
    }))
      it(`are listed for review if ${name}`, () =>
        inEachOrder(
          { ranobedb: authored('ranobedb', '2009-04-10'), bangumi: records },
          async () => {
            assert.deepEqual(await joined(), [])
            assert.ok(
              (await reviewed()).includes(
                'title-author-date: ranobedb n-ranobedb, bangumi n-bangumi',
              ),
            )
          },
        ))
  })

  describe('people, producers and characters of a joined work', () => {
    const link: SameAs[] = [{ source: 'bangumi', external_id: '1' }]
    const cast = (...refs: string[]) => ({
      characters: refs.map((ref) => ({ ref, role: 'MAIN' as const, actors: [] })),
    })
    const developedBy = (ref: string) => ({ producers: [{ ref, role: 'DEVELOPER' as const }] })

    it('join if their names are equal, whatever the order of imports', () =>
      inEachOrder(
        {
          vndb: [
            galgame('v1', {}, { ...staff('s1'), ...cast('c1'), ...developedBy('p1') }, [...link]),
            person('s1', { name: '麻枝 准' }),
            character('c1', { name: '古河 渚' }),
            producer('p1', 'Ｋｅｙ'),
          ],
          bangumi: [
            galgame('1', {}, { ...staff('7'), ...cast('17'), ...developedBy('27') }),
            person('7', { name: '麻枝准' }),
            character('17', { name: '古河渚' }),
            producer('27', 'Key'),
            galgame('2', {}, staff('8')),
            person('8', { name: '古河渚' }),
          ],
          ranobedb: [person('9', { name: '樋上いたる' })],
        },
        async () =>
          assert.deepEqual(await joined(), [
            'bangumi 1, vndb v1',
            'bangumi 17, vndb c1',
            'bangumi 27, vndb p1',
            'bangumi 7, vndb s1',
          ]),
      ))

    it('are listed for review if two of them have the same name, or if their roles are incompatible', () =>
      inEachOrder(
        {
          vndb: [
            galgame('v1', {}, { ...cast('c1'), staff: [{ ref: 's1', role: 'MUSIC' }] }, [...link]),
            person('s1', { name: '佐藤' }),
            character('c1', { name: '少女' }),
          ],
          bangumi: [
            galgame('1', {}, { ...cast('17', '18'), staff: [{ ref: '7', role: 'BACKGROUND' }] }),
            person('7', { name: '佐藤' }),
            character('17', { name: '少女' }),
            character('18', { name: '少女' }),
          ],
        },
        async () => {
          assert.deepEqual(await joined(), ['bangumi 1, vndb v1'])
          assert.deepEqual(await reviewed(), [
            'name-in-work: vndb c1, bangumi 17',
            'name-in-work: vndb c1, bangumi 18',
            'name-in-work: vndb s1, bangumi 7',
          ])
        },
      ))

    it('join as soon as a later import joins the work', async () => {
      const records = (same_as: SameAs[]) => [
        galgame('v1', {}, staff('s1'), same_as),
        person('s1', { name: '魁' }),
      ]
      await run('vndb', ...records([]))
      await run('bangumi', galgame('1', {}, staff('7')), person('7', { name: '魁' }))
      assert.deepEqual(await joined(), [])
      await run('vndb', ...records([...link]))
      assert.deepEqual(await joined(), ['bangumi 1, vndb v1', 'bangumi 7, vndb s1'])
      const { rows } = await sql`select from people`.execute(db)
      assert.equal(rows.length, 1)
    })
  })

  it('join if they are people whose works an operator has joined, even if another source is imported first', async () => {
    const work = (id: string, writer: string) => [
      galgame(id, { origin_title: '水月' }, staff(writer)),
      person(writer, { name: '魁' }),
    ]
    await run('ranobedb', novel('1', 'N'))
    await run('vndb', ...work('v1', 's1'))
    await run('bangumi', ...work('1', '7'))
    const { items } = await listMatches(db, {
      state: 'open',
      kind: 'galgame',
      page: 1,
      pageSize: 2,
    })
    await acceptMatches(db, [items[0]?.id ?? 0])
    assert.deepEqual(await joined(), ['bangumi 1, vndb v1'])
    await run('ranobedb', novel('1', 'N'), novel('2', 'M'))
    await run('vndb')
    assert.deepEqual(await joined(), ['bangumi 1, vndb v1', 'bangumi 7, vndb s1'])
  })

  it('are added to the table of names again by the next import after a migration has emptied it', async () => {
    await run('vndb', galgame('v1'))
    await run('bangumi', galgame('1'))
    const findNames = async () =>
      (await sql`select * from record_names order by source`.execute(db)).rows
    const names = await findNames()
    await sql`delete from record_names`.execute(db)
    await run('bangumi', galgame('1'))
    assert.deepEqual(await findNames(), names)
    assert.equal(names.length, 2)
  })

  describe('pairs that an operator has decided', () => {
    const LOADS = {
      vndb: [person('s1', { name: '片岡とも', gender: 'female' })],
      bangumi: [person('7', { name: '片岡とも', gender: 'male' })],
    }
    const openMatch = async () =>
      (await listMatches(db, { state: 'open', page: 1, pageSize: 2 })).items[0]?.id ?? 0

    it('join when accepted despite contradictions, and stay joined whatever the order of imports', async () => {
      await run('vndb', ...LOADS.vndb)
      await run('bangumi', ...LOADS.bangumi)
      assert.deepEqual(await reviewed(), ['same-name: vndb s1, bangumi 7'])
      const [accepted] = await acceptMatches(db, [await openMatch()])
      const merged = accepted?.merged
      assert.deepEqual([merged?.from, merged?.into], [2, 1])
      const { rows: decisions } = await sql`select * from matches`.execute(db)
      await run('vndb', person('s1', { name: 'Tomo Kataoka' }))
      assert.deepEqual(await joined(), ['bangumi 7, vndb s1'])
      // This database is new and contains only the decision.
      await emptyCatalog(db)
      await sql`insert into matches overriding system value select * from jsonb_populate_recordset(null::matches, ${JSON.stringify(decisions)}::jsonb)`.execute(
        db,
      )
      await run('bangumi', ...LOADS.bangumi)
      await run('vndb', ...LOADS.vndb)
      assert.deepEqual(await joined(), ['bangumi 7, vndb s1'])
    })

    it('never join again if rejected, not even by a link', async () => {
      await run('vndb', ...LOADS.vndb)
      await run('bangumi', ...LOADS.bangumi)
      const match = await openMatch()
      await rejectMatch(db, match)
      await run(
        'vndb',
        person('s1', { name: '片岡とも', intro: 'New.' }, [
          { source: 'bangumi', external_id: '7' },
        ]),
      )
      assert.deepEqual([await joined(), await reviewed()], [[], []])
      assert.deepEqual(await reviewed('rejected'), ['same-name: vndb s1, bangumi 7'])
      await assert.rejects(acceptMatches(db, [999]), /Match 999 does not exist/)
    })

    it('wait for a decision if users have data on both works', async () => {
      await run('vndb', galgame('v1'))
      await run('bangumi', galgame('1'))
      const [user, other] = await createAccounts(db, 2)
      await writeRating(db, user ?? 0, { kind: 'galgame', id: 1 }, { rate: 5 })
      await writeRating(db, user ?? 0, { kind: 'galgame', id: 2 }, { rate: 6 })
      await writeRating(db, other ?? 0, { kind: 'galgame', id: 2 }, { rate: 7 })
      const { remarks } = await run(
        'vndb',
        galgame('v1', {}, {}, [{ source: 'bangumi', external_id: '1' }]),
      )
      assert.partialDeepStrictEqual(remarks[0], { code: 'match.both_read' })
      assert.deepEqual(await joined(), [])
      const [accepted] = await acceptMatches(db, [await openMatch()])
      const merged = accepted?.merged
      assert.deepEqual([merged?.from, merged?.into], [1, 2])
      assert.deepEqual(await joined(), ['bangumi 1, vndb v1'])
      await sql`delete from ratings`.execute(db)
    })
  })

  it('produce the same catalog regardless of the order and number of imports', async () => {
    const loads: Loads = {
      vndb: [
        galgame('v1', { origin_title: 'V', aliases: ['a'] }, staff('s1', 's2'), [
          { source: 'bangumi', external_id: '1' },
        ]),
        person('s1', { name: '甲野' }),
        person('s2', { name: '乙野' }, [{ source: 'wikidata', external_id: '5' }]),
      ],
      ranobedb: [
        novel('1', 'N', { date: '2010-01-01', links: by('r1') }),
        person('r1', { name: '甲野' }),
        person('r2', { name: 'someone else' }, [{ source: 'wikidata', external_id: '5' }]),
      ],
      bangumi: [
        galgame('1', { origin_title: 'B', aliases: ['b'] }, staff('7', '8')),
        novel('2', 'N', { date: '2010-02-01', links: by('7') }),
        person('7', { name: '甲野' }),
        person('8', { name: '乙野' }),
      ],
    }
    const catalogs: unknown[] = []
    // as: the keys of this object
    for (const order of permutationsOf(Object.keys(loads) as Source[])) {
      await emptyCatalog(db)
      for (const source of [...order, ...order.slice(0, 1)])
        await run(source, ...(loads[source] ?? []))
      // Merged entries are excluded, because only some orders create separate entries first.
      catalogs.push({ ...(await readCatalog(db)), merged_entries: undefined })
      assert.deepEqual(
        await joined(),
        [
          'bangumi 1, vndb v1',
          'bangumi 2, ranobedb 1',
          'bangumi 7, ranobedb r1, vndb s1',
          'bangumi 8, ranobedb r2, vndb s2',
        ],
        order.join(),
      )
    }
    for (const catalog of catalogs) assert.deepEqual(catalog, catalogs[0])
  })
})

function permutationsOf<Item>(items: Item[]): Item[][] {
  if (items.length < 2) return [items]
  return items.flatMap((item, index) =>
    permutationsOf(items.toSpliced(index, 1)).map((others) => [item, ...others]),
  )
}
