import assert from 'node:assert/strict'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { startNode } from '#test/node-process.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { mokuroku, temporaryFolder } from '#test/program.ts'
import { clusterOf } from './cluster.ts'

describe('a copy of the folder of a running process', () => {
  let database: TestDatabase
  let copy: ReturnType<typeof temporaryFolder>
  let writer: ReturnType<typeof startNode>
  beforeEach(async () => {
    database = await createDatabase('embedded', 'cluster', 'disk')
    copy = temporaryFolder('disk')
    writer = startNode('test/support/write-numbers.ts', [database.dataDir])
    await writer.waitForOutput(/\n(.*\n){50}/)
  })
  afterEach(async () => {
    await writer.kill()
    copy.remove()
    await database.remove()
  })

  const mark = () => join(clusterOf(copy.path), 'in-use.created')
  const copyFolder = () => cpSync(database.dataDir, copy.path, { recursive: true })
  const numbersIn = (dataDir: string) =>
    withTestDatabase({ ...database, dataDir }, async (db) => {
      const { rows } = await sql<{ number: number }>`select number from numbers`.execute(db)
      return new Set(rows.map(({ number }) => number))
    })

  async function assertRefused() {
    for (const args of [['serve'], ['migrate']]) {
      const environment = { DATA_DIR: copy.path, PORT: '0' }
      const { status, output, errors } = await mokuroku(args, { environment })
      assert.deepEqual([status, output], [1, ''])
      assert.equal(
        errors,
        `${clusterOf(copy.path)} is a copy of a database that was in use, so its files may not fit together. ` +
          `If no process wrote to the database during the copy, delete ${mark()}. Otherwise, stop the service and copy the folder again.\n`,
      )
    }
  }

  it('is rejected with a one-line error, and the process keeps running', async () => {
    copyFolder()
    await assertRefused()
    await writer.kill()
    assert.equal(writer.errors(), '')
    assert.ok((await numbersIn(database.dataDir)).size > 50)
  })

  it('has all acknowledged writes if the process was suspended, once the operator allows it', async () => {
    writer.child.kill('SIGSTOP')
    copyFolder()
    const lines = writer.output().split('\n').slice(0, -1)
    writer.child.kill('SIGCONT')
    await assertRefused()
    rmSync(mark())
    const found = await numbersIn(copy.path)
    const lost = lines.flatMap((line) => line.split(' ').map(Number)).filter((n) => !found.has(n))
    assert.deepEqual(lost, [])
  })
})
