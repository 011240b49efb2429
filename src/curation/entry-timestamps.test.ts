import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { importRecords } from '#test/catalog.ts'
import { asAdmin, createDatabase, describeOnEachDatabase } from '#test/databases.ts'
import { onEmptyCatalog } from '#test/empty-catalog.ts'
import { sourceRecords } from '#test/source-records.ts'
import { openDatabase, type Database } from '../db/database.ts'
import type { SourceRecord } from '../sources/records/record.ts'

const { galgame, person, staff, sameAs } = sourceRecords

describeOnEachDatabase('an entry’s timestamps', (engine) => {
  let db: Database
  const { run, staffOf } = onEmptyCatalog(engine, (opened) => {
    db = opened.db
  })

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
      ({ intro }) =>
        galgame('1', { ...(intro !== undefined && { origin_intro: intro }) }, staff('s1')),
    ],
    ['people', (fields) => person('1', fields)],
  ]

  for (const [table, make] of CASES)
    it(`start at the time of the import, and record when the entry last changed (${table})`, async () => {
      await run('vndb', make({ intro: 'old' }))
      const first = await timesOf(table)
      assert.deepEqual([first.updated_at, first.revised_at], [first.created_at, null])
      await sleep(5)
      await run('vndb', make({ intro: 'new' }))
      const second = await timesOf(table)
      assert.ok(second.updated_at > first.updated_at)
      assert.deepEqual(second, {
        ...first,
        updated_at: second.updated_at,
        revised_at: second.updated_at,
      })
    })

  it('stay the same if a better source hides the change, or if only a list has changed', async () => {
    await run('bangumi', galgame('1', { origin_intro: 'b' }), person('7'))
    await run('vndb', galgame('v1', { origin_intro: 'v' }, {}, sameAs('bangumi', '1')))
    const before = await timesOf('works')
    await sleep(5)
    await run('bangumi', galgame('1', { origin_intro: 'hidden' }, staff('7')))
    assert.deepEqual(await staffOf('bangumi:1'), ['bangumi:7'])
    assert.deepEqual(await timesOf('works'), before)
  })

  it('change when the adult flag or the tags change', async () => {
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

  it('are the dates that the source states, at midnight UTC, and never move back', async () => {
    const times = { created_at: '2008-02-03', updated_at: '2024-05-06', revised_at: '2024-05-06' }
    const day = (text: string) => new Date(`${text}T00:00:00.000Z`)
    const asDays = {
      created_at: day('2008-02-03'),
      updated_at: day('2024-05-06'),
      revised_at: day('2024-05-06'),
    }
    await run('vndb', galgame('1', times))
    assert.deepEqual(await timesOf('works'), asDays)
    await run(
      'vndb',
      galgame('1', { ...times, updated_at: '2024-06-01', revised_at: '2024-06-01' }),
    )
    const later = { ...asDays, updated_at: day('2024-06-01'), revised_at: day('2024-06-01') }
    assert.deepEqual(await timesOf('works'), later)
    await run('vndb', galgame('1', times))
    assert.deepEqual(await timesOf('works'), later)
    await run('vndb', galgame('1', { ...times, homepage: 'https://a' }))
    const now = await timesOf('works')
    assert.ok(now.updated_at > day('2025-01-01'))
    assert.deepEqual(now.revised_at, now.updated_at)
  })
})

describe('an import into a server in another time zone', () => {
  it('reads a date as midnight UTC', async () => {
    const database = await createDatabase('server', 'empty')
    const url = database.databaseUrl ?? ''
    await asAdmin(
      url,
      `alter database "${new URL(url).pathname.slice(1)}" set timezone to 'Asia/Tokyo'`,
    )
    const { db, close } = await openDatabase(database)
    await importRecords(db, 'vndb', [
      person('s1', { created_at: '2008-02-03' }),
      galgame('v1', { created_at: '2008-02-03' }),
    ])
    const { rows } = await sql`
      select created_at from people union all select created_at from works`.execute(db)
    const midnight = { created_at: new Date('2008-02-03T00:00:00Z') }
    assert.deepEqual(rows, [midnight, midnight])
    await close()
    await database.remove()
  })
})
