import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { fingerprint, importRecords } from '#test/catalog.ts'
import { asAdmin, createDatabase, onEachDatabase } from '#test/databases.ts'
import { onEmptyCatalog } from '#test/empty-catalog.ts'
import { asAnotherProcess } from '#test/one-connection.ts'
import type { OpenTestDatabase } from '#test/open.ts'
import { sourceRecords } from '#test/source-records.ts'
import { openDatabase, type Database } from '../db/database.ts'
import { importSource } from './import-source.ts'
import type { SourceRecord } from './record.ts'

const { galgame, novel, volume, person, character, staff, sameAs } = sourceRecords

onEachDatabase('importSource', (engine) => {
  let test: OpenTestDatabase
  let db: Database
  const { run, read, staffOf } = onEmptyCatalog(engine, (opened) => {
    test = opened
    db = opened.db
  })

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
      assert.deepEqual(kinds, [
        { kind: 'galgame', created: 1, changed: 1, unchanged: 1, withdrawn: 0, returned: 0 },
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
        // as: no status of the catalog
        run('vndb', character('c1'), galgame('v1', { dev_status: 'SOLD' as 'RELEASED' })),
        /dev_status/,
      )
      assert.deepEqual(await read('characters', 'id'), [])
    })

    it('is seen by readers whole or not at all', async () => {
      await run('vndb', galgame('v1'))
      const titles = () => read('galgames', 'origin_title')
      let during = Promise.resolve<unknown[]>([])
      await importSource(db, 'vndb', async function* () {
        yield* Array.from({ length: 700 }, (_, place) => galgame(`v${place}`, { origin_title: 'new' }))
        during = asAnotherProcess(titles)
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
        { onProgress: ({ phase, done }) => void (phase === 'reading' && counts.push(done)) },
      )
      assert.deepEqual(counts, [0, 500, 1_000, 1_100])
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
