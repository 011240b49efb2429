import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, describeOnEachDatabase } from '#test/databases.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { startNode } from '#test/node-process.ts'
import { assertExactCounts, createAccounts } from '#test/ratings.ts'
import type { Database } from '../../db/database.ts'
import { applyRatingDeltas } from './queries.ts'

/** Number of ratings. Enough for several batches before each kill. */
const RECORDS = 12_000

describeOnEachDatabase('the task that applies rating deltas to totals', (engine) => {
  it('neither loses nor repeats a delta if its process is killed', async () => {
    const database = await createDatabase(engine, 'sample')
    try {
      await withTestDatabase(database, writeRatings)
      const waiting = [RECORDS]
      for (let death = 0; death < 2; death += 1) {
        const targetUser = startNode('test/support/apply-rating-deltas.ts', [
          database.dataDir,
          database.databaseUrl ?? '',
        ])
        await targetUser.waitForOutput(/applied\n/)
        await targetUser.kill()
        waiting.push(await withTestDatabase(database, countWaiting))
      }
      const [before = 0, , after = 0] = waiting
      assert.ok(
        before > after && after > 0,
        `each process was killed midway: ${waiting.join(', ')}`,
      )
      await withTestDatabase(database, async (db) => {
        while (await applyRatingDeltas(db));
        await assertExactCounts(db)
      })
    } finally {
      await database.remove()
    }
  })
})

/** Inserts ratings with pending deltas, as individual requests would. */
async function writeRatings(db: Database) {
  await createAccounts(db, RECORDS / 6)
  await sql`
    insert into ratings (account_id, work_id, kind, rate, updated_at)
    select account.id, work.id, work.kind, 1 + (account.id * 7 + work.id) % 91 / 10.0, now()
    from accounts account
    cross join (select id, kind from works order by id limit 6) work`.execute(db)
  await sql`
    insert into rating_deltas (account_id, work_id, kind, was, becomes)
    select account_id, work_id, kind, '{}', rating_counted(ratings) from ratings order by id`.execute(
    db,
  )
}

async function countWaiting(db: Database): Promise<number> {
  const { rows } = await sql<{
    amount: number
  }>`select count(*) as amount from rating_deltas`.execute(db)
  return rows[0]?.amount ?? 0
}
