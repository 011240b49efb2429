import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { importRecords } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { createAccounts } from '#test/ratings.ts'
import { startService, type TestService } from '#test/service.ts'
import { sourceRecords } from '#test/source-records.ts'
import { mergeEntries, unmergeEntries } from './merge-entries.ts'

const { galgame } = sourceRecords

describeOnDatabase('favorites of merged works', (engine) => {
  let service: TestService
  let db: TestService['db']
  let works: number[]
  before(async () => {
    service = await startService({ engine, content: 'empty' })
    db = service.db
    await importRecords(db, 'vndb', [galgame('v1', {}), galgame('v2', {}), galgame('v3', {})])
    const { rows } = await sql<{ id: number }>`
      select entry_id as id from source_records where kind = 'galgame' order by external_id`.execute(
      db,
    )
    works = rows.map(({ id }) => id)
  })
  after(() => service.close())

  const favorites = async (accountId: number) => {
    const { rows } = await sql<{ position: number; work_id: number }>`
      select position, work_id from favorites where account_id = ${accountId} order by position`.execute(
      db,
    )
    return rows.map(({ position, work_id: id }) => [position, id])
  }
  const choose = (accountId: number, ids: number[]) =>
    sql`insert into favorites (account_id, position, work_id, kind)
      select ${accountId}::bigint, place, id, 'galgame' from unnest(${ids}::bigint[]) with ordinality chosen (id, place)`.execute(
      db,
    )

  it('keep their place without duplicates, and return when the merge is undone', async () => {
    const [from = 0, into = 0, other = 0] = works
    const pair = { kind: 'galgame', from, into } as const
    const [mover = 0, both = 0, changer = 0] = await createAccounts(db, 3)
    await choose(mover, [other, from])
    await choose(both, [from, other, into])
    await choose(changer, [from, into])
    await mergeEntries(db, pair)
    assert.deepEqual(await favorites(mover), [
      [1, other],
      [2, into],
    ])
    assert.deepEqual(await favorites(both), [
      [2, other],
      [3, into],
    ])
    await sql`delete from favorites where account_id = ${changer}`.execute(db)
    await unmergeEntries(db, pair)
    assert.deepEqual(await favorites(mover), [
      [1, other],
      [2, from],
    ])
    assert.deepEqual(await favorites(both), [
      [1, from],
      [2, other],
      [3, into],
    ])
    assert.deepEqual(await favorites(changer), [])
    assert.deepEqual((await sql`select from merged_favorites`.execute(db)).rows, [])
  })
})
