import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { DESCRIBED, describeDatabase } from '../build/describe-database.ts'
import { createDatabase } from '#test/databases.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Files that put texts of SQL together for each request or transaction, with what their parts depend on. */
const MAKE_TEXTS: Record<string, string> = {
  'src/browse/lists/queries.ts': 'the filters and the order of a list',
  'src/browse/listings/refresh-queries.ts': 'which entries the caller has touched',
  'src/db/due-tasks.ts': 'the conditions of the tasks',
  'src/db/query.ts': 'defines queryText',
  'src/search/index/touched-queries.ts': 'which works the caller writes anew',
}

describe('statements', () => {
  it('are all prepared by PostgreSQL, and described as in src/db/described.ts', async () => {
    const database = await createDatabase('embedded', 'empty')
    try {
      const described = await describeDatabase(database.dataDir)
      assert.equal(await readFile(DESCRIBED, 'utf8'), described, 'run npm run describe and commit the result')
    } finally {
      await database.remove()
    }
  })

  it('are constants but in a few files', async () => {
    const files: string[] = []
    for await (const file of glob('{src,bin}/**/*.ts', { cwd: ROOT })) {
      if (file.endsWith('.test.ts')) continue
      if (/\bqueryText\b/.test(await readFile(`${ROOT}/${file}`, 'utf8'))) files.push(file)
    }
    assert.deepEqual(files.toSorted(), Object.keys(MAKE_TEXTS))
  })
})
