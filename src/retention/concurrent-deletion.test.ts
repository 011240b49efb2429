/** Deletion by age while requests and other processes use the same rows. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { addAccount } from '#test/accounts.ts'
import { eventually } from '#test/browser.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { asAnotherProcess } from '#test/refuse-second-connections.ts'
import { readConfig } from '../config/config.ts'
import { deleteByAge } from './delete-by-age.ts'
import { startHousekeeping } from './housekeeping.ts'

describe('an expired row of a user', () => {
  let database: OpenTestDatabase
  let account: number
  before(async () => {
    database = await openTestDatabase('server', 'empty')
    account = await addAccount(database.db, {
      email: 'race@example.org',
      name: 'R',
      password: 'a long one',
    })
  })
  after(() => database.remove())
  const insertExpired = (amount: number) =>
    sql`
      insert into rating_walks (account_id, client_id, filter, work_ids, started_at)
      select ${account}, 'app', '', '{}', now() - interval '1 day' from generate_series(1, ${amount}::integer)`.execute(
      database.db,
    )
  const deleteWalks = async () => (await deleteByAge(database.db))['rating_walks'] ?? 0

  it('stays while a request has locked it, and does not delay other deletions', async () => {
    const { db } = database
    await insertExpired(20)
    await sql`
      insert into removed_items (account_id, collection_id, work_id, item, removed_at)
      select account_id, id, 1, '[]', now() - interval '1 day' from collections`.execute(db)
    await db.transaction().execute(async (trx) => {
      await sql`
        select from rating_walks where id = (select max(id) from rating_walks) for update`.execute(
        trx,
      )
      const deleted = await asAnotherProcess(() => deleteByAge(db))
      assert.deepEqual([deleted['rating_walks'], deleted['removed_items']], [0, 1])
      // Would deadlock if the deletion had kept its locks.
      await sql`update rating_walks set filter = 'used'`.execute(trx)
    })
    assert.equal(await deleteWalks(), 20)
  })

  it('is logged if it is locked, and deleted by the next run, which skips the other windows', async () => {
    const { db } = database
    const countChanges = async () =>
      (await sql`select from rating_changes where account_id = ${account}`.execute(db)).rows.length
    await sql`
      insert into rating_changes (account_id, work_id, kind, action, fields, changed_at)
      select ${account}, 1, 'galgame', 'CHANGED', '{}', now() - interval '200 days' from generate_series(1, 2)`.execute(
      db,
    )
    const lines: unknown[] = []
    const log = { info: (fields: unknown) => lines.push(fields), warn: () => {} }
    const task = startHousekeeping(db, log as never, {
      ...readConfig({}).retention,
      RATING_HISTORY_RETENTION: 100,
      AUDIT_RETENTION: 100,
    })
    await db.transaction().execute(async (trx) => {
      await sql`select from rating_changes for update`.execute(trx)
      task.wake()
      await asAnotherProcess(() => eventually(() => lines.length > 0, 'a line of the log'))
    })
    assert.deepEqual(lines, [{ locked: ['RATING_HISTORY_RETENTION'] }])
    assert.equal(await countChanges(), 2)
    await sql`
      insert into audit_events (account_id, kind, at)
      values (${account}, 'signed_in', now() - interval '200 days')`.execute(db)
    task.wake()
    // The last change of a rating is kept.
    await eventually(async () => (await countChanges()) === 1, 'the next run')
    await task.stop()
    const { rows } =
      await sql`select from audit_events where at < now() - interval '100 days'`.execute(db)
    assert.equal(rows.length, 1, 'the other windows wait for a day')
  })

  it('stays if a request renews it while its deletion waits', async () => {
    const { db } = database
    const findWaiting = () =>
      sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        db,
      )
    let isLocked = true
    // Repeats if the deletion gave up before the request ended.
    for (let attempt = 0; isLocked && attempt < 5; attempt += 1) {
      isLocked = false
      await insertExpired(1)
      const { deleting } = await db.transaction().execute(async (trx) => {
        await sql`update rating_walks set started_at = now()`.execute(trx)
        const begun = asAnotherProcess(() => deleteByAge(db, {}, () => (isLocked = true)))
        await asAnotherProcess(() =>
          eventually(
            async () => isLocked || (await findWaiting()).rows.length > 0,
            'a deletion that waits',
          ),
        )
        return { deleting: begun }
      })
      assert.equal((await deleting)['rating_walks'], 0)
    }
    assert.ok(!isLocked, 'a deletion that has waited')
  })

  it('is deleted once by several processes', async () => {
    await insertExpired(2_500)
    const deleted = await Promise.all([deleteWalks(), deleteWalks(), deleteWalks()])
    deleted.push(await deleteWalks())
    assert.equal(
      deleted.reduce((sum, rows) => sum + rows, 0),
      2_500,
    )
  })
})
