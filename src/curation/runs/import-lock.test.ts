import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createDatabase } from '#test/databases.ts'
import { holdLock } from '../../db/advisory-locks.ts'
import { openDatabase } from '../../db/database.ts'
import { takeLockUnlessImporting } from './import-lock.ts'

it('takeLockUnlessImporting waits while another transaction changes entries', async () => {
  const database = await createDatabase('server', 'empty')
  const { db, close } = await openDatabase({ ...database, databasePoolSize: 2 })
  const taken: string[] = []
  const [held, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  try {
    const other = db.transaction().execute(async (trx) => {
      await holdLock(trx, 'imports')
      held.resolve()
      await done.promise
      taken.push('other')
    })
    await held.promise
    const own = db.transaction().execute(async (trx) => {
      await takeLockUnlessImporting(trx)
      taken.push('own')
    })
    setTimeout(done.resolve, 200)
    await Promise.all([other, own])
    assert.deepEqual(taken, ['other', 'own'])
  } finally {
    await close().finally(() => database.remove())
  }
})
