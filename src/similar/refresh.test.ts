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
    const compute = () => db.transaction().execute((trx) => computeDue(trx, 10, false))
    const pass = (interval: string) =>
      sql`update similar_due set since = since - ${interval}::interval`.execute(db)
    assert.equal(await compute(), 0)
    await pass('59 minutes')
    assert.equal(await compute(), 0)
    await pass('2 minutes')
    assert.equal(await compute(), 1)
  })

  it('are the same if user data is distributed', async () => {
    const { db } = database
    await makeWorks(1, 70)
    await sql`
      with added as (
        insert into accounts (email, password_hash, name)
        select number || '@likes.example', 'none', 'Likes' from generate_series(1, 8) number
        returning id
      )
      insert into account_refs (id) select id from added`.execute(db)
    await sql`
      insert into work_refs (id, kind) select id, 'galgame' from works on conflict (id) do nothing`.execute(
      db,
    )
    // More works than are sampled per user. The last ones have the lowest scores.
    await sql`
      insert into ratings (account_id, work_id, kind, status, rate, updated_at)
      select account.id, work.id, 'galgame', 'COMPLETED', case when work.id > 55 then 7 else 9 end, now()
      from works work
      join (select id, row_number() over (order by id) as number from accounts where name = 'Likes') account
        on work.id % 9 <> account.number`.execute(db)
    await sql`insert into work_likes (work_id, likes) select work_id, count(*) from ratings group by work_id`.execute(
      db,
    )
    const compute = async (isDistributed: boolean) => {
      await sql`delete from similar_works`.execute(db)
      await sql`
        insert into similar_due (work_id, since, spreads) select id, now() - interval '1 hour', false from works
        on conflict (work_id) do update set since = excluded.since`.execute(db)
      await db.transaction().execute((trx) => computeDue(trx, 100, isDistributed))
      const { rows } = await sql<{ similar_ids: number[]; reasons: string[] }>`
        select work_id, similar_ids, reasons, likes from similar_works order by work_id`.execute(db)
      return rows
    }
    const here = await compute(false)
    assert.equal(here.length, 70)
    assert.ok(here.every(({ reasons }) => reasons.includes('READERS')))
    assert.ok(here.every(({ similar_ids: ids }) => !ids.includes(70)))
    assert.deepEqual(await compute(true), here)
  })
})
