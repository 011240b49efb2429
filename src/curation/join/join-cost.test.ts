/** Joining takes time linear in the number of shared works. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { emptyCatalog } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { rowsReadDuring } from '#test/query-plans.ts'
import { sourceRecords } from '#test/source-records.ts'
import type { Database } from '../../db/database.ts'
import { inLongTransaction } from '../../db/server/long-transaction.ts'
import { loadRecords } from '../load-records.ts'
import type { Source, SourceRecord } from '../../sources/records/record.ts'
import { joinRecords, type JoinCounts } from './join-records.ts'

const { galgame, person, character, sameAs } = sourceRecords
const CHARACTERS = 10

/**
 * Creates games that both sources have. Each game has ten characters and three people; the other source credits one of
 * the people under an alias.
 */
function pairRecords(source: 'vndb' | 'bangumi', works: number): SourceRecord[] {
  const id = (kind: string, number: number) =>
    source === 'vndb' ? `${kind}${number}` : String(number)
  return Array.from({ length: works }, (_, work) => {
    const cast = Array.from({ length: CHARACTERS }, (_, index) => work * CHARACTERS + index + 1)
    const staff = [3 * work + 1, 3 * work + 2]
    const aliased = 3 * work + 3
    return [
      galgame(
        id('v', work + 1),
        { origin_title: `作品${work}` },
        {
          staff: [...staff, aliased].map((number) => ({ ref: id('s', number), role: 'SCENARIO' })),
          characters: cast.map((number) => ({ ref: id('c', number), role: 'MAIN', actors: [] })),
        },
        source === 'vndb' ? sameAs('bangumi', String(work + 1)) : [],
      ),
      ...staff.map((number) => person(id('s', number), { name: `筆者 第${number}` })),
      person(
        id('s', aliased),
        source === 'vndb'
          ? { name: `本人 第${aliased}`, aliases: [`筆名 第${aliased}`] }
          : { name: `筆名 第${aliased}` },
      ),
      ...cast.map((number) => character(id('c', number), { name: `人物 第${number}` })),
    ]
  }).flat()
}

describeOnDatabase('joinRecords', (engine) => {
  let test: OpenTestDatabase
  before(async () => {
    test = await openTestDatabase(engine)
  })
  after(() => test.remove())

  const load = (trx: Database, source: Source, records: SourceRecord[]) =>
    loadRecords(
      trx,
      source,
      async function* () {
        yield* records
      },
      { note() {} },
      { allowShrink: 'all' },
    )

  async function joinOf(works: number): Promise<{ rows: number; joins: JoinCounts[] }> {
    const { db } = test
    await emptyCatalog(db)
    await inLongTransaction(db, Infinity, (trx) => load(trx, 'vndb', pairRecords('vndb', works)))
    return inLongTransaction(db, Infinity, async (trx) => {
      await load(trx, 'bangumi', pairRecords('bangumi', works))
      let joins: JoinCounts[] = []
      const rows = await rowsReadDuring(trx, async () => {
        joins = await joinRecords(trx, 'bangumi', { note() {} })
      })
      return { rows, joins }
    })
  }

  it('reads at most three times as many rows to join twice as many works', async (t) => {
    const [once, twice] = [await joinOf(300), await joinOf(600)]
    t.diagnostic(`300 works: ${once.rows} rows, 600 works: ${twice.rows} rows`)
    assert.deepEqual(twice.joins, [
      { kind: 'character', joined: 600 * CHARACTERS, for_review: 0 },
      { kind: 'galgame', joined: 600, for_review: 0 },
      { kind: 'person', joined: 1200, for_review: 600 },
    ])
    assert.ok(twice.rows <= 3 * once.rows, `${once.rows} rows and ${twice.rows} rows`)
  })
})
