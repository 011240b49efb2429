import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createDatabase } from '#test/databases.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { startService } from '#test/service.ts'
import { addRareRows, fillDatabase, listEmptyTables } from './fill-database.ts'

describe('the data of the next fixture', () => {
  it('has rows in every table', async () => {
    const database = await createDatabase('server', 'sample')
    try {
      const service = await startService({ database })
      const { ids } = await fillDatabase(service).finally(service.close)
      const empty = await withTestDatabase(database, async (db) => {
        await addRareRows(db, ids)
        return listEmptyTables(db)
      })
      assert.deepEqual(empty, [], 'add rows in test/releases/fill-database.ts')
    } finally {
      await database.remove()
    }
  })
})
