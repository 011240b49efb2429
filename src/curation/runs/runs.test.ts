import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { importRecords } from '#test/catalog.ts'
import { skipEmbedded, describeOnEachDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { sourceRecords } from '#test/source-records.ts'
import type { Database } from '../../db/database.ts'
import { importSource } from '../import-source.ts'
import { describeImport, type RunningImport } from './import-lock.ts'
import { findLastDone, findRun, listRuns } from './list-queries.ts'
import { beginRun } from './queries.ts'
import { DUMP_SOURCES } from '../sources.ts'

const { galgame, person } = sourceRecords

describeOnEachDatabase('import runs', (engine) => {
  let test: OpenTestDatabase
  let db: Database
  before(async () => {
    test = await openTestDatabase(engine, 'empty')
    db = test.db
  })
  after(() => test.remove())

  const last = async () => {
    const [run] = await listRuns(db, 1)
    assert.ok(run)
    return run
  }

  it('are stored with the dump, its date and checksum, counts, remarks, times and phases', async () => {
    const dump = { name: 'vndb-db-2026-11-18.tar.zst', date: '2026-11-18', sha256: 'ab'.repeat(32) }
    const { kinds } = await importSource(
      db,
      'vndb',
      async function* (report) {
        report.note({ code: 'relation.to_itself' }, 'v2')
        yield galgame('v1')
      },
      { dump },
    )
    const run = await last()
    assert.deepEqual(
      {
        ...run,
        began_at: 0,
        ended_at: 0,
        phase_seconds: Object.keys(run.phase_seconds).toSorted(),
      },
      {
        id: run.id,
        source: 'vndb',
        dump_name: dump.name,
        dump_date: dump.date,
        sha256: dump.sha256,
        mapping_version: DUMP_SOURCES.vndb.mappingVersion,
        began_at: 0,
        ended_at: 0,
        state: 'done',
        pid: null,
        host: null,
        kinds,
        remarks: [{ code: 'relation.to_itself', count: 1, example: 'v2' }],
        phase_seconds: ['comparing', 'deriving', 'indexing', 'reading', 'staging', 'waiting'],
        error: null,
      },
    )
    assert.ok(run.ended_at && run.ended_at >= run.began_at)
    assert.equal((await findLastDone(db, 'vndb'))?.id, run.id)
    assert.equal(await findLastDone(db, 'bangumi'), undefined)
  })

  it('are stored with the reason when they fail or are refused', async () => {
    await assert.rejects(
      importSource(db, 'vndb', async function* () {
        yield galgame('v1')
        throw new Error('vn_staff:12: 3 columns')
      }),
    )
    const { state, error, ended_at } = await last()
    assert.deepEqual([state, error, ended_at === null], ['failed', 'vn_staff:12: 3 columns', false])
    const people = Array.from({ length: 20 }, (_, index) => person(`s${index}`))
    await importRecords(db, 'ranobedb', people)
    await assert.rejects(importRecords(db, 'ranobedb', people.slice(10), { isWhole: () => true }))
    const refused = await last()
    assert.equal(refused.state, 'refused')
    assert.match(refused.error ?? '', /10 of 20 of person/)
    assert.equal((await findLastDone(db, 'ranobedb'))?.state, 'done')
  })

  it('are listed as interrupted when their process is gone', async () => {
    const id = await beginRun(db, 'vndb', undefined, { pid: 1, host: 'gone' })
    const run = await findRun(db, id)
    assert.deepEqual([run?.state, run?.pid, run?.ended_at], ['broken off', null, null])
    assert.equal(await findRun(db, id + 1), undefined)
  })

  it(
    'are identified to an import that waits for them or is refused because of them',
    { skip: skipEmbedded(engine) },
    async () => {
      const { promise: read, resolve: resume } = Promise.withResolvers<void>()
      const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>()
      const first = importSource(db, 'vndb', async function* () {
        begin()
        await read
        yield galgame('v1')
      })
      await hasBegun
      const running = await last()
      assert.deepEqual(
        [running.state, running.pid, running.ended_at],
        ['running', process.pid, null],
      )
      await assert.rejects(importRecords(db, 'bangumi', [galgame('1')], { whenBusy: 'refuse' }), {
        name: 'ImportBusyError',
        message: new RegExp(
          `^Import ${running.id} of vndb \\(process ${process.pid} on .+, since ${running.began_at.toISOString()}\\) is running\\.`,
        ),
      })
      assert.equal((await last()).state, 'refused')

      const { promise: waits, resolve: report } = Promise.withResolvers<RunningImport | undefined>()
      const second = importRecords(db, 'bangumi', [galgame('1')], { onWait: report })
      assert.match(describeImport(await waits), new RegExp(`^Import ${running.id} of vndb`))
      assert.equal((await last()).state, 'waiting')
      resume()
      await Promise.all([first, second])
      assert.deepEqual(
        (await listRuns(db, 3)).map(({ state, source }) => `${source} ${state}`),
        ['bangumi done', 'bangumi refused', 'vndb done'],
      )
    },
  )
})
