import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DEFAULT_ENGINE } from '#test/databases.ts'
import { openTestDatabase } from '#test/open-database.ts'
import { rowsReadDuring } from '#test/query-plans.ts'
import { sourceRecords } from '#test/source-records.ts'
import { joinLoaded, loadRecords } from './load-records.ts'

const { character } = sourceRecords
const RECORDS = 2_000
const report = { note() {} }

describe('the first import', () => {
  it('counts joined records without comparing all pairs', async () => {
    const { db, remove } = await openTestDatabase(DEFAULT_ENGINE, 'empty')
    try {
      const rows = await db.transaction().execute(async (trx) => {
        const kinds = await loadRecords(
          trx,
          'vndb',
          async function* () {
            for (let number = 1; number <= RECORDS; number += 1)
              yield character(`c${number}`, { name: `人物 第${number}` })
          },
          report,
          {},
        )
        return rowsReadDuring(trx, () =>
          joinLoaded(trx, 'vndb', { kinds, report, onProgress() {} }),
        )
      })
      assert.ok(rows < 50 * RECORDS, `${rows} rows`)
    } finally {
      await remove()
    }
  })
})
