import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { sql } from 'kysely'
import { describeOnDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { refreshOld } from './follow-queries.ts'
import { computeDue, postponeNext } from './compute-queries.ts'

describeOnDatabase('similar works', (engine) => {
  let database: OpenTestDatabase
  before(async () => (database = await openTestDatabase(engine, 'empty')))
  after(() => database.remove())
  beforeEach(() => sql`delete from works`.execute(database.db))

  const makeWorks = (first: number, count: number) =>
    sql`
      insert into works (id, kind)
      select number, 'galgame' from generate_series(${first}::bigint, ${first + count - 1}::bigint) number`.execute(
      database.db,
    )
  const due = async () => {
    const rows = await database.db
      .selectFrom('similar_due')
      .select('work_id')
      .orderBy('work_id')
      .execute()
    return rows.map(({ work_id }) => work_id)
  }

  it('are recomputed after a week, for a hundred works at a time, oldest first', async () => {
    const { db } = database
    await makeWorks(1, 103)
    await sql`delete from similar_due`.execute(db)
    await sql`
      insert into similar_works (work_id, similar_ids, reasons, likes, computed_at)
      select id, '{}', '{}', 0, now() - case id when 1 then interval '6 days 23 hours' when 2 then interval '8 days' else interval '9 days' end
      from works`.execute(db)
    await refreshOld(db)
    const isDue = await due()
    assert.equal(isDue.length, 100)
    assert.ok(!isDue.includes(1) && !isDue.includes(2))
    await sql`delete from similar_works where work_id in (select work_id from similar_due)`.execute(
      db,
    )
    await refreshOld(db)
    const later = await due()
    assert.equal(later.length, 102)
    assert.ok(later.includes(2) && !later.includes(1))
  })

  it('are recomputed an hour after a failed computation', async () => {
    const { db } = database
    await makeWorks(1, 1)
    await sql`delete from similar_due`.execute(db)
    await sql`insert into similar_due (work_id, since, spreads) values (1, now(), false)`.execute(
      db,
    )
    await postponeNext(db)
    const compute = () => db.transaction().execute((trx) => computeDue(trx, 10))
    const pass = (interval: string) =>
      sql`update similar_due set since = since - ${interval}::interval`.execute(db)
    assert.equal(await compute(), 0)
    await pass('59 minutes')
    assert.equal(await compute(), 0)
    await pass('2 minutes')
    assert.equal(await compute(), 1)
  })
})
