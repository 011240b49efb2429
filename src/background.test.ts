import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { describeOnEachDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { rowsReadBy } from '#test/query-plans.ts'
import { statementsOf } from '#test/statements.ts'
import { readConfig } from './config/config.ts'
import { startBackground } from './background.ts'
import { inLongTransaction } from './db/server/long-transaction.ts'

/** Number of rows at which a full table scan clearly differs from an index lookup. */
const RATING_COUNT = 20_000

describeOnEachDatabase('periodic tasks', (engine) => {
  let test: OpenTestDatabase
  before(async () => {
    test = await openTestDatabase(engine, 'empty')
    await inLongTransaction(test.db, Infinity, async (db) => {
      await sql`
        insert into catalog_changes (id, resource_type, resource_id, kind, audience)
        select id, 'galgame', id, 'DELETE', 'everybody' from generate_series(1, ${RATING_COUNT}::bigint) id`.execute(
        db,
      )
      await sql`update listing_positions set position = ${RATING_COUNT}`.execute(db)
      await sql`update search_progress set id = ${RATING_COUNT}`.execute(db)
      await sql`update similar_position set change_id = ${RATING_COUNT}`.execute(db)
      await sql`
        insert into works (id, kind)
        select id, 'galgame' from generate_series(1, ${RATING_COUNT}::bigint) id`.execute(db)
      await sql`
        insert into similar_works (work_id, similar_ids, reasons, likes, computed_at)
        select id, '{}', '{}', 0, now() from works`.execute(db)
      await sql`
        insert into work_totals (work_id, kind, readers, score, revision)
        select id, 'galgame', 0, 0, id from works`.execute(db)
      await sql`
        insert into similar_due (work_id, since, spreads)
        select id, now() + interval '1 hour', false from works`.execute(db)
      await sql`delete from catalog_changes_due`.execute(db)
    })
  })
  after(() => test.remove())

  it('are found by statements that scan no whole table, however large it is', async () => {
    await sql`analyze`.execute(test.db)
    const failures: unknown[] = []
    const log = { warn: (facts: unknown) => failures.push(facts) }
    const sent = await statementsOf(async () => {
      const stop = startBackground({
        db: test.db,
        engine,
        log: log as never,
        retention: readConfig({}).retention,
      })
      await sleep(700)
      await stop()
    })
    assert.deepEqual(failures, [])
    const polls = [...new Set(sent.map((statement) => statement.sql))]
    const queues = polls.filter((poll) => poll.startsWith('select min(id) as id from '))
    assert.deepEqual([polls.length, queues.length], [4, 3], 'an idle service asks nothing else')
    for (const poll of polls) {
      const { rows, plan } = await rowsReadBy(test.db, { sql: poll, parameters: [true] })
      assert.ok(rows < 50, `${rows} rows were read: ${JSON.stringify(plan)}`)
    }
  })
})
