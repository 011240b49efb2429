import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { fingerprint } from '#test/catalog.ts'
import { describeOnEachDatabase } from '#test/databases.ts'
import { onEmptyCatalog } from '#test/empty-catalog.ts'
import { SAMPLES } from '#test/dumps.ts'
import { asAnotherProcess } from '#test/refuse-second-connections.ts'
import type { OpenTestDatabase } from '#test/open-database.ts'
import { sourceRecords } from '#test/source-records.ts'
import type { Database } from '../db/database.ts'
import { importSource } from './import-source.ts'
import type { ImportPhase, ImportProgress } from '../sources/records/progress.ts'
import { openSource } from './sources.ts'

const { galgame, person, character, staff, sameAs } = sourceRecords

describeOnEachDatabase('an import', (engine) => {
  let test: OpenTestDatabase
  let db: Database
  const { run, read } = onEmptyCatalog(engine, (opened) => {
    test = opened
    db = opened.db
  })

  it('changes nothing if its reader fails halfway', async () => {
    await run('vndb', galgame('v1'))
    const before = await fingerprint(db)
    const broken = importSource(db, 'vndb', async function* () {
      for (let number = 0; number < 700; number += 1) yield person(`s${number}`)
      yield galgame('v1', { origin_title: 'changed' })
      throw new Error('vn_staff:12: 3 columns')
    })
    await assert.rejects(broken, { message: 'vn_staff:12: 3 columns' })
    assert.deepEqual(await fingerprint(db), before)
  })

  it('changes nothing if the catalog rejects a value', async () => {
    await assert.rejects(
      // as: not a valid status
      run('vndb', character('c1'), galgame('v1', { dev_status: 'SOLD' as 'RELEASED' })),
      /dev_status/,
    )
    assert.deepEqual(await read('characters', 'id'), [])
  })

  it('becomes visible as a whole or not at all', async () => {
    await run('vndb', galgame('v1'))
    const titles = () => read('galgames', 'origin_title')
    let during = Promise.resolve<unknown[]>([])
    await importSource(db, 'vndb', async function* () {
      yield* Array.from({ length: 700 }, (_, index) =>
        galgame(`v${index}`, { origin_title: 'new' }),
      )
      during = asAnotherProcess(titles)
      // The server database responds during the import. The embedded database has a single connection and responds
      // afterwards.
      if (engine === 'server') await during
    })
    const seen = await during
    if (engine === 'server') assert.deepEqual(seen, [['v1']])
    else assert.deepEqual([seen.length, seen[0]], [700, ['new']])
    assert.equal((await titles()).length, 700)
  })

  it('waits for a running import', async () => {
    const otherConnection =
      engine === 'server' ? await test.reconnect() : { db, close: async () => {} }
    const events: string[] = []
    const slow = (where: Database, name: string) =>
      importSource(where, 'vndb', async function* () {
        events.push(`${name} begins`)
        yield galgame('v1', { origin_title: name }, staff('s1'), sameAs('bangumi', '1'))
        await sleep(100)
        yield person('s1', { name })
        events.push(`${name} has read`)
      })
    const [one, two] = await Promise.all([slow(db, 'A'), slow(otherConnection.db, 'B')])
    const [first, second] = events[0] === 'A begins' ? ['A', 'B'] : ['B', 'A']
    assert.deepEqual(
      events,
      [first, second].flatMap((name) => [`${name} begins`, `${name} has read`]),
    )
    assert.deepEqual(
      [one, two].map(({ kinds }) => kinds.map(({ created }) => created).join()).toSorted(),
      ['0,0', '1,1'],
    )
    assert.deepEqual(await read('galgames', 'origin_title'), [[second]])
    await otherConnection.close()
  })

  it('signals the change to the catalog exactly once', async () => {
    const revision = async () => {
      const { rows } = await sql<{ revision: number }>`
        select revision from change_signals where topic = 'catalog'`.execute(db)
      return rows[0]?.revision ?? 0
    }
    const before = await revision()
    await run('vndb', galgame('v1'))
    assert.equal(await revision(), before + 1)
  })

  it('reports its progress every 500 records, and finally the total number', async () => {
    const counts: number[] = []
    await importSource(
      db,
      'vndb',
      async function* () {
        for (let number = 0; number < 1_100; number += 1) yield person(`s${number}`)
      },
      { onProgress: ({ phase, done }) => void (phase === 'reading' && counts.push(done)) },
    )
    assert.deepEqual(counts, [500, 1_000, 1_100])
  })

  it('reports the number of rows read so far, until the first record arrives', async () => {
    const { records, close } = await openSource('vndb', SAMPLES.vndb, { allowMissing: 'any' })
    const reported: ImportProgress[] = []
    await importSource(db, 'vndb', records, {
      onProgress: (item) => void reported.push(item),
    }).finally(close)
    const ofPhase = (phase: ImportPhase) =>
      reported.filter((item) => item.phase === phase).map(({ done }) => done)
    const rows = ofPhase('staging')
    assert.ok(rows.length > 10 && Number(rows.at(-1)) > 1_000, rows.join(' '))
    assert.deepEqual(
      rows,
      rows.toSorted((a, b) => a - b),
    )
    const phases = [...new Set(reported.map(({ phase }) => phase))]
    assert.deepEqual(phases, ['staging', 'reading', 'comparing', 'deriving', 'indexing'])
    assert.equal(
      reported.findIndex(({ phase }) => phase === 'reading'),
      rows.length,
    )
  })
})
