import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { describeOnEachDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { escapeCell, RowCopier } from './row-copier.ts'

describeOnEachDatabase('RowCopier', (engine) => {
  let database: OpenTestDatabase
  before(async () => void (database = await openTestDatabase(engine, 'cluster')))
  after(() => database.remove())

  it('copies every string unchanged and in order, for any number of rows', async () => {
    const texts = [
      '',
      '\\N',
      'a\tb\nc\r\\',
      "it's \\x41",
      '絵🎴',
      '\\.',
      ...Array.from({ length: 40_000 }, (_, n) => `row ${n} ${'x'.repeat(50)}`),
    ]
    const rows = await database.db.transaction().execute(async (trx) => {
      await sql`create temporary table copied (n integer, text text) on commit drop`.execute(trx)
      const copier = new RowCopier(trx, 'copied', ['n', 'text'])
      for (const [n, text] of texts.entries()) {
        copier.add(`${n}\t${escapeCell(text)}`)
        await copier.settle()
      }
      await copier.end()
      return (await sql<{ text: string }>`select text from copied order by n`.execute(trx)).rows
    })
    assert.deepEqual(
      rows.map(({ text }) => text),
      texts,
    )
  })

  it("fails with the database's error, whichever chunk causes it, and leaves the connection usable", async () => {
    await sql`create table kept (n integer primary key)`.execute(database.db)
    const twice = database.db.transaction().execute(async (trx) => {
      const copier = new RowCopier(trx, 'kept', ['n'])
      for (const n of ['1', '2', '1']) copier.add(n)
      await copier.end()
    })
    await assert.rejects(twice, { code: '23505' })
    const early = database.db.transaction().execute(async (trx) => {
      const copier = new RowCopier(trx, 'kept', ['n'])
      copier.add('no number')
      for (let n = 0; n < 8_000; n += 1) {
        copier.add(String(n).padStart(400))
        await copier.settle()
      }
      await copier.end()
    })
    await assert.rejects(early, { code: '22P02' })
    const otherCopier = new RowCopier(database.db, 'kept', ['n'])
    otherCopier.add('1\t2')
    await assert.rejects(otherCopier.end(), /extra data/)
    assert.deepEqual((await sql`select count(*) as count from kept`.execute(database.db)).rows, [
      { count: 0 },
    ])
  })
})
