import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { importRecords } from '#test/catalog.ts'
import { onOneDatabase } from '#test/databases.ts'
import { SAMPLES, temporaryDumps } from '#test/dumps.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open.ts'
import { filesUnder } from '#test/archives.ts'
import { importSource } from './import-source.ts'
import type { SourceRecord } from './record.ts'
import { openSource } from './sources.ts'

const person = (name: string): SourceRecord => ({ kind: 'person', external_id: 's1', fields: { name } })

onOneDatabase('a dump that was imported last', (engine) => {
  let database: OpenTestDatabase
  const { folderOf, remove } = temporaryDumps()
  before(async () => void (database = await openTestDatabase(engine, 'empty')))
  after(async () => {
    await database.remove()
    remove()
  })

  /** @returns what is reported, and whether the dump was read */
  async function run(checksum: string, name = 'A') {
    let wasRead = false
    const { kinds, remarks } = await importSource(
      database.db,
      'vndb',
      async function* (report) {
        wasRead = true
        report.note('a remark', 'of the dump')
        yield person(name)
      },
      { checksum },
    )
    return { kinds, remarks, wasRead }
  }
  const unchanged = {
    kinds: [{ kind: 'person', created: 0, changed: 0, unchanged: 1, withdrawn: 0, returned: 0 }],
    remarks: [{ remark: 'a remark', count: 1, example: 'of the dump' }],
  }

  it('is not read again, and reports what it did', async () => {
    await run('one')
    assert.deepEqual(await run('one'), { ...unchanged, wasRead: false })
    assert.deepEqual(await run('two'), { ...unchanged, wasRead: true })
    assert.deepEqual(await run('two'), { ...unchanged, wasRead: false })
  })

  it('is read again when anybody has written records since, or taken them away', async () => {
    await run('one')
    await importRecords(database.db, 'bangumi', [person('B')])
    assert.equal((await run('one')).wasRead, true)
    await sql`update source_records set fields = fields || '{"intro": "x"}' where source = 'vndb'`.execute(
      database.db,
    )
    assert.deepEqual((await run('one')).kinds, [
      { kind: 'person', created: 0, changed: 1, unchanged: 0, withdrawn: 0, returned: 0 },
    ])
    await sql`delete from source_records where source = 'vndb'`.execute(database.db)
    assert.equal((await run('one')).wasRead, true)
  })

  it('has another checksum once a row of a table that is read differs, a header, or what may be left out', async () => {
    const files = filesUnder(SAMPLES.vndb)
    const checksumOf = async (members: typeof files, limit?: { text: string; rows: number }) => {
      const { checksum, close } = await openSource('vndb', folderOf(members), { maxBadRows: limit })
      return checksum().finally(close)
    }
    const vn = String(files['db/vn'])
    const sums = [
      await checksumOf({ ...files, 'db/vn': vn.replace('クラナド', 'クラナト') }),
      await checksumOf({ ...files, 'db/vn': vn.split('\n').toReversed().join('\n').trimStart() }),
      await checksumOf({ ...files, 'db/vn.header': `${String(files['db/vn.header'])}\tnew` }),
      await checksumOf(files, { text: '3', rows: 3 }),
      await checksumOf(files),
    ]
    assert.equal(new Set(sums).size, sums.length)
  })
})
