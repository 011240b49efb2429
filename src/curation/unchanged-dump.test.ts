import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { importRecords } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { SAMPLES, temporaryDumps } from '#test/dumps.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { filesUnder } from '#test/archives.ts'
import { importSource } from './import-source.ts'
import { Dependencies } from '../sources/dump/dependencies.ts'
import type { SameAs, Source, SourceRecord } from '../sources/records/record.ts'
import { openSource } from './sources.ts'
import { isUpToDate } from './unchanged-dump.ts'

type Options = {
  records?: SourceRecord[]
  today?: string
  until?: string
  includesCatalog?: boolean
}

const person = (name: string, external_id = 's1'): SourceRecord => ({
  kind: 'person',
  external_id,
  fields: { name },
})

describeOnDatabase('the dump that was imported last', (engine) => {
  let database: OpenTestDatabase
  const { folderOf } = temporaryDumps()
  before(async () => void (database = await openTestDatabase(engine, 'empty')))
  after(() => database.remove())

  /** @returns the summary, and whether the dump was read */
  async function run(
    checksum: string,
    { records = [person('A')], today = '2026-11-21', until = '', ...options }: Options = {},
  ) {
    let wasRead = false
    const dependencies = new Dependencies(today)
    const { kinds, remarks } = await importSource(
      database.db,
      'vndb',
      async function* (report) {
        wasRead = true
        report.note({ code: 'relation.to_itself' }, 'of the dump')
        if (until !== '') dependencies.isFuture(until)
        if (options.includesCatalog) dependencies.includesCatalog = true
        yield* records
      },
      { checksum, dependencies },
    )
    return { kinds, remarks, wasRead }
  }
  const unchanged = {
    kinds: [
      {
        kind: 'person',
        created: 0,
        joined: 0,
        changed: 0,
        unchanged: 1,
        withdrawn: 0,
        returned: 0,
      },
    ],
    remarks: [{ code: 'relation.to_itself', count: 1, example: 'of the dump' }],
  }

  it('is not read again, and produces the same report', async () => {
    await run('one')
    assert.deepEqual(await run('one'), { ...unchanged, wasRead: false })
    assert.deepEqual(await run('two'), { ...unchanged, wasRead: true })
    assert.deepEqual(await run('two'), { ...unchanged, wasRead: false })
  })

  it('is read again after a change or deletion of any record of its source', async () => {
    await run('one')
    await sql`update source_records set fields = fields || '{"intro": "x"}' where source = 'vndb'`.execute(
      database.db,
    )
    assert.deepEqual((await run('one')).kinds, [
      {
        kind: 'person',
        created: 0,
        joined: 0,
        changed: 1,
        unchanged: 0,
        withdrawn: 0,
        returned: 0,
      },
    ])
    await sql`delete from source_records where source = 'vndb'`.execute(database.db)
    assert.equal((await run('one')).wasRead, true)
    await importRecords(database.db, 'vndb', [person('B', 's2')])
    assert.equal((await run('one')).wasRead, true)
    await sql`truncate source_records cascade`.execute(database.db)
    assert.equal((await run('one')).wasRead, true)
  })

  it('is no longer up to date once a future date in it has arrived', async () => {
    await run('dated', { until: '2026-12-24' })
    const isSameOn = (today: string) => isUpToDate(database.db, 'vndb', { today })
    assert.equal(await isSameOn('2026-12-23'), true)
    assert.equal(await isSameOn('2026-12-24'), false)
    await run('dated', { today: '2026-12-24', until: '2026-12-24' })
    assert.equal(await isSameOn('2026-12-25'), true)
    await sql`delete from import_checksums where source = 'vndb'`.execute(database.db)
    assert.equal(await isSameOn('2026-12-25'), false)
  })

  it('is still up to date when other sources change, unless its records depend on those sources', async () => {
    await run('one')
    await importRecords(database.db, 'bangumi', [person('B')])
    await importRecords(database.db, 'bangumi', [person('C')])
    assert.deepEqual(await run('one'), { ...unchanged, wasRead: false })
    await run('three', { includesCatalog: true })
    assert.equal((await run('three')).wasRead, false)
    await importRecords(database.db, 'bangumi', [person('D')])
    assert.equal((await run('three', { includesCatalog: true })).wasRead, true)
    await importRecords(database.db, 'bangumi', [person('D'), person('E', 's2')])
    assert.equal((await run('three')).wasRead, true)
  })

  it('is not read again to join its records with new records from other sources', async () => {
    const inRanobedb = (...ids: string[]) =>
      importSource(
        database.db,
        'ranobedb',
        async function* () {
          yield* ids.map((id) => person(id, id))
        },
        { isWhole: () => true },
      )
    const sameAs = (source: Source, external_id: string) => ({ source, external_id })
    const records = (...same_as: SameAs[]) => [{ ...person('A'), same_as }]
    await inRanobedb('r1', 'r2')
    await importRecords(database.db, 'bangumi', [
      { ...person('B', 'b1'), same_as: [sameAs('ranobedb', 'r2')] },
    ])
    await run('one', { records: records(sameAs('ranobedb', 'r1')) })
    // Each of the two entries has a RanobeDB record, so the entries cannot be joined.
    await run('two', { records: records(sameAs('ranobedb', 'r1'), sameAs('bangumi', 'b1')) })
    const entriesOf = async () => {
      const { rows } = await sql<{ entry: number }>`
        select distinct entry_id as entry from source_records
        where (source, external_id) in (('vndb', 's1'), ('bangumi', 'b1'))`.execute(database.db)
      return rows.length
    }
    assert.equal(await entriesOf(), 2)
    await inRanobedb('r2')
    assert.equal((await run('two')).wasRead, false)
    assert.equal(await entriesOf(), 1)
    // `entry_id` is not part of what a source states, so this update does not invalidate the dump.
    await sql`update source_records set entry_id = entry_id`.execute(database.db)
    assert.equal((await run('two')).wasRead, false)
  })

  it('is read again once a future date in it has arrived', async () => {
    await run('dated', { until: '2026-12-24' })
    assert.equal((await run('dated', { today: '2026-12-23' })).wasRead, false)
    assert.equal((await run('dated', { today: '2026-12-24', until: '2027' })).wasRead, true)
    assert.equal((await run('dated', { today: '2026-12-31' })).wasRead, false)
    assert.equal((await run('dated', { today: '2027-01-01' })).wasRead, true)
  })

  it('has a different checksum if a row, a header or the bad-row limit differs', async () => {
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
