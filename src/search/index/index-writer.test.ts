import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createDatabase, DEFAULT_ENGINE, type TestDatabase } from '#test/databases.ts'
import { openDatabase, type Database, type OpenDatabase } from '../../db/database.ts'
import { queryText } from '../../db/query.ts'
import { IndexWriter } from './index-writer-queries.ts'
import { sectionsOf } from './sections.ts'

const KIND = 'character'
const STORED = `select id, names, words, grams, hash from search_entries where section = any($1) order by id`

class RolledBack extends Error {}

describe('IndexWriter', () => {
  let database: TestDatabase
  let opened: OpenDatabase
  before(async () => {
    database = await createDatabase(DEFAULT_ENGINE, 'sample')
    opened = await openDatabase(database)
  })
  after(async () => {
    await opened.close()
    await database.remove()
  })

  const storedRows = (trx: Database) => queryText<{ id: number }>(trx, STORED, [sectionsOf(KIND)])

  /** Deletes the rows of a kind and passes their ids, in two halves, to `work`. Everything is rolled back. */
  async function withoutRows(
    work: (trx: Database, halves: [number[], number[]], rows: object[]) => Promise<void>,
  ) {
    const running = opened.db.transaction().execute(async (trx) => {
      const rows = await storedRows(trx)
      const ids = rows.map(({ id }) => id)
      const middle = Math.ceil(ids.length / 2)
      assert.ok(middle > 20)
      await queryText(trx, 'delete from search_entries where section = any($1)', [sectionsOf(KIND)])
      await work(trx, [ids.slice(0, middle), ids.slice(middle)], rows)
      throw new RolledBack()
    })
    await assert.rejects(running, RolledBack)
  }

  it('saves each batch with the next write, and the last one with the flush', () =>
    withoutRows(async (trx, [first, second], rows) => {
      const writer = new IndexWriter(trx, { trustsHashes: true })
      await writer.write(KIND, first)
      await writer.write(KIND, second)
      const saved = await storedRows(trx)
      assert.deepEqual(
        saved.map(({ id }) => id),
        first,
      )
      await writer.flush()
      assert.deepEqual(await storedRows(trx), rows)
    }))

  it('rejects the next write if a batch cannot be saved', () =>
    withoutRows(async (trx, [first, second]) => {
      await queryText(trx, `alter table search_entries add check (id <> ${first[0]}) not valid`, [])
      const writer = new IndexWriter(trx, { trustsHashes: true })
      await writer.write(KIND, first)
      await assert.rejects(writer.write(KIND, second), /violates check constraint/)
    }))
})
