import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createDatabase, DEFAULT_ENGINE } from '#test/databases.ts'
import { findUnexecutedSql, recordExecutedSql, saveExecutedSql } from '#test/executed-sql.ts'
import { removeFolder, scratchFolder } from '#test/scratch-folder.ts'
import { openDatabase } from '../src/db/database.ts'
import { runLongStatement } from '../src/db/server/long-transaction.ts'
import { signal } from '../src/db/upkeep/signals.ts'

it('the record of executed SQL lists the statements that no test has executed', async () => {
  const folder = scratchFolder('executed')
  const executed = recordExecutedSql()
  const database = await createDatabase(DEFAULT_ENGINE, 'empty')
  const { db, close } = await openDatabase(database)
  try {
    // Two templates, and a call to the query builder.
    await runLongStatement(db, 'select 1')
    await signal(db, 'catalog')
    saveExecutedSql(folder, executed)
    const unexecuted = await findUnexecutedSql(folder)
    const functionsIn = (file: string) => [
      ...new Set(
        unexecuted.filter((line) => line.startsWith(file)).map((line) => line.split(' ')[1]),
      ),
    ]
    assert.deepEqual(functionsIn('src/db/upkeep/signals.ts'), ['readRevisions'])
    assert.deepEqual(functionsIn('src/db/server/long-transaction.ts'), ['inLongTransaction'])
    assert.ok(unexecuted.length > 500)
  } finally {
    await close().finally(() => database.remove())
    removeFolder(folder)
  }
})
