import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { addAccount } from '#test/accounts.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { findAccount } from '../accounts/queries.ts'
import { readConfig } from '../config/config.ts'
import { deleteByAge } from './delete-by-age.ts'
import { findHeldUntil, resumeDeletions, startDeletions } from './deletion-clock.ts'
import { startHousekeeping } from './housekeeping.ts'

const FOREVER = readConfig({}).retention

describeOnDatabase('deletions by age', (engine) => {
  let database: OpenTestDatabase
  before(async () => (database = await openTestDatabase(engine, 'empty')))
  after(() => database.remove())

  const insertExpired = () =>
    sql`insert into attempts (key, tries, last_try_at) values ('x', 1, now() - interval '25 hours')
      on conflict (key) do nothing`.execute(database.db)
  const isDeleted = async () =>
    (await database.db.selectFrom('attempts').select('key').execute()).length === 0

  /** Simulates that the clock of the database has jumped ahead since the last deletions. */
  const jump = (interval: string) =>
    sql`
      update deletion_clock set
        last_run_at = last_run_at - ${interval}::interval, held_until = held_until - ${interval}::interval`.execute(
      database.db,
    )

  /** Runs the periodic task once. @returns the messages of its warnings */
  async function runTask() {
    const warnings: unknown[] = []
    const log = {
      info: () => {},
      warn: (_facts: object, message: string) => warnings.push(message),
    }
    const task = startHousekeeping(database.db, log as never, FOREVER)
    task.wake()
    await new Promise((resolve) => setImmediate(resolve))
    await task.stop()
    return warnings
  }

  it('continue after a gap of less than a day', async () => {
    await insertExpired()
    await startDeletions(database.db)
    await jump('23 hours 59 minutes')
    assert.deepEqual(await runTask(), [])
    assert.ok(await isDeleted())
  })

  it('are on hold for three days after the clock has jumped by more than a day, with one warning, and then continue', async () => {
    const { db } = database
    await insertExpired()
    const due = await addAccount(db, {
      email: 'due@example.org',
      name: 'D',
      password: 'a long one',
    })
    await sql`update accounts set deletion_requested_at = now() - interval '8 days' where id = ${due}`.execute(
      db,
    )
    await startDeletions(db)
    await jump('1 day 1 minute')
    assert.match(String(await runTask()), /Deletions are on hold/)
    assert.ok(await findHeldUntil(db))
    for (let hour = 0; hour < 69; hour += 23) {
      assert.deepEqual(await runTask(), [])
      await jump('23 hours')
    }
    assert.deepEqual(await runTask(), [])
    assert.ok(!(await isDeleted()))
    assert.ok(await findAccount(db, due))
    await jump('4 hours')
    assert.deepEqual(await runTask(), [])
    assert.ok(await isDeleted())
    assert.equal(await findAccount(db, due), undefined)
  })

  it('delete nothing if the clock jumps after they have begun', async () => {
    const { db } = database
    await insertExpired()
    await startDeletions(db)
    await jump('1 day 1 minute')
    assert.equal((await deleteByAge(db))['attempts'], 0)
  })

  it('continue once the clock has been set back', async () => {
    const { db } = database
    await insertExpired()
    await startDeletions(db)
    assert.ok(await findHeldUntil(db))
    await jump('-40 days')
    await runTask()
    assert.equal(await findHeldUntil(db), undefined)
    assert.ok(await isDeleted())
  })

  it('continue once the operator has confirmed the clock', async () => {
    const { db } = database
    await insertExpired()
    await jump('2 days')
    await runTask()
    assert.ok(!(await isDeleted()))
    assert.deepEqual([await resumeDeletions(db), await resumeDeletions(db)], [true, false])
    await runTask()
    assert.ok(await isDeleted())
  })
})
