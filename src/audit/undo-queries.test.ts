import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { addAccount } from '#test/accounts.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { recordEvent } from './events.ts'
import { findOwnLastAction } from './undo-queries.ts'

describeOnDatabase('an action at the desk', (engine) => {
  let database: OpenTestDatabase
  before(async () => (database = await openTestDatabase(engine, 'empty')))
  after(() => database.remove())

  it('can be undone by its actor for an hour, unless another action has followed', async () => {
    const { db } = database
    const add = (name: string) =>
      addAccount(db, { email: `${name}@example.org`, name, password: 'a long one' })
    const [accountId, actorId, other] = [await add('a'), await add('b'), await add('c')]
    const find = (by: number) =>
      findOwnLastAction(db, { kinds: ['banned', 'unbanned'], accountId }, { kinds: ['banned'] }, by)
    const pass = (interval: string) =>
      sql`update audit_events set at = at - ${interval}::interval`.execute(db)
    await recordEvent(db, { kind: 'banned', accountId, actorId })
    await pass('59 minutes')
    assert.deepEqual([await find(actorId), await find(other)], [{}, undefined])
    await pass('2 minutes')
    assert.equal(await find(actorId), undefined)
    await recordEvent(db, { kind: 'banned', accountId, actorId })
    assert.deepEqual(await find(actorId), {})
    await recordEvent(db, { kind: 'unbanned', accountId, actorId })
    assert.equal(await find(actorId), undefined)
  })
})
