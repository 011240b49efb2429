import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { addAccount } from '#test/accounts.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import {
  findStoredImport,
  completeStoredImport,
  saveUploadedList,
  lockStoredImport,
} from './stored-import-queries.ts'

describeOnDatabase('a list that waits to be imported', (engine) => {
  let database: OpenTestDatabase
  before(async () => (database = await openTestDatabase(engine, 'empty')))
  after(() => database.remove())

  it('is stored for an hour, and its result for another hour', async () => {
    const { db } = database
    const id = await addAccount(db, { email: 'a@example.org', name: 'A', password: 'a long one' })
    const pass = (interval: string) =>
      sql`update list_imports set expires_at = expires_at - ${interval}::interval`.execute(db)
    const isThere = async () => [
      (await findStoredImport(db, id, 'stored')) !== undefined,
      (await findStoredImport(db, id)) !== undefined,
      (await db.transaction().execute((trx) => lockStoredImport(trx, id))) !== undefined,
    ]
    const store = () =>
      saveUploadedList(db, id, { id: 'stored', source: 'vndb', file: Buffer.from('x') })
    await store()
    await pass('59 minutes')
    assert.deepEqual(await isThere(), [true, true, true])
    await store()
    await pass('59 minutes')
    await completeStoredImport(db, id, { counts: {}, firstChange: 0, lastChange: 0 })
    await pass('59 minutes')
    assert.deepEqual(await isThere(), [true, true, true])
    await pass('2 minutes')
    assert.deepEqual(await isThere(), [false, false, false])
  })
})
