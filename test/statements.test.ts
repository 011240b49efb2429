import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { openDatabase } from '../src/db/database.ts'
import { queryRows } from '../src/db/query.ts'
import { statementOf } from '../src/db/statement.ts'
import { createDatabase } from '#test/databases.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Files that build SQL for each request or transaction, each with the data that the SQL depends on. */
const SQL_BUILDERS: Record<string, string> = {
  'src/backup/dump-queries.ts': 'the tables of the database',
  'src/backup/load-queries.ts': 'the tables of a backup',
  'src/browse/lists/queries.ts': 'the filters and the order of a list',
  'src/browse/listings/refresh-queries.ts': 'which entries the caller has touched',
  'src/db/sharding/distribute.ts': 'the keys of the database',
  'src/db/upkeep/due-tasks.ts': 'the conditions of the tasks',
  'src/search/index/touched-queries.ts': 'which works the caller writes anew',
}

describe('SQL statements', () => {
  it('can all be prepared by PostgreSQL, and match src/db/described.ts and docs/schema.sql', async () => {
    const database = await createDatabase('embedded', 'empty')
    try {
      // In its own process, because statements are collected as their modules load.
      await run(process.execPath, ['build/describe-database.ts', '--check', database.dataDir], {
        cwd: ROOT,
      })
    } finally {
      await database.remove()
    }
  })

  it('are named in database errors', async () => {
    const { dataDir, remove } = await createDatabase('embedded', 'cluster')
    const { db, close } = await openDatabase({ dataDir })
    try {
      const statement = statementOf('test.divide', 'select $1::integer / 0')
      await assert.rejects(queryRows(db, statement, [1]), {
        code: '22012',
        statement: 'test.divide',
      })
    } finally {
      await close().finally(remove)
    }
  })

  it('are constants except in a few files', async () => {
    const files: string[] = []
    for await (const file of glob('{src,bin}/**/*.ts', { cwd: ROOT })) {
      if (file.endsWith('.test.ts')) continue
      if (/^import .*\bqueryText\b.*\/query\.ts'$/m.test(await readFile(`${ROOT}/${file}`, 'utf8')))
        files.push(file)
    }
    assert.deepEqual(files.toSorted(), Object.keys(SQL_BUILDERS).toSorted())
  })
})
