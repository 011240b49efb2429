import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, it } from 'node:test'
import { importRecords, readCatalog } from '#test/catalog.ts'
import { createDatabase, describeOnEachDatabase } from '#test/databases.ts'
import { openTestDatabase, withTestDatabase } from '#test/open-database.ts'
import { startNode } from '#test/node-process.ts'
import { seedRandom, type SeededRandom } from '#test/seeded-random.ts'
import { FIRST_DUMP, SECOND_DUMP } from '#test/weekly-dumps.ts'
import type { Database } from '../db/database.ts'
import type { ImportProgress } from '../sources/records/progress.ts'
import { listRuns } from './runs/list-queries.ts'

/** Number of kills per test. Each kill takes several seconds on the embedded database. */
const MOMENTS_PER_TEST = { server: 5, embedded: 5 }

const hashOf = async (db: Database) =>
  createHash('sha256')
    .update(JSON.stringify(await readCatalog(db)))
    .digest('hex')

describeOnEachDatabase('an import that is killed (kill -9)', (engine) => {
  /** Catalog before and after an undisturbed import, and the times of its progress reports. */
  const hashes = { first: '', second: '' }
  const events: ImportProgress[] = []
  before(async () => {
    const undisturbed = await openTestDatabase('server', 'empty')
    await importRecords(undisturbed.db, 'vndb', FIRST_DUMP)
    hashes.first = await hashOf(undisturbed.db)
    await importRecords(undisturbed.db, 'vndb', SECOND_DUMP, {
      isWhole: () => true,
      onProgress: (progress) => void events.push(progress),
    })
    hashes.second = await hashOf(undisturbed.db)
    await undisturbed.remove()
  })

  const kills = MOMENTS_PER_TEST[engine]

  /** Indexes of progress reports: one per phase, and others at random. */
  function pickMoments(random: SeededRandom): number[] {
    const numbered = events.map(({ phase }, index) => ({ phase, number: index + 1 }))
    const phases = [...Map.groupBy(numbered, ({ phase }) => phase).values()]
    const moments = phases.map((eventsInPhase) => random.pick(eventsInPhase).number)
    while (moments.length < kills) moments.push(random.pick(numbered).number)
    return moments
  }

  it(`leaves the catalog unchanged at each of ${kills} moments, and the next import completes`, async () => {
    const database = await createDatabase(engine, 'empty')
    await withTestDatabase(database, (db) => importRecords(db, 'vndb', FIRST_DUMP))
    const moments = pickMoments(seedRandom('moments of kill -9'))
    assert.equal(new Set(events.map(({ phase }) => phase)).size, 5)
    for (const moment of [...moments, 0]) {
      const child = startNode('test/support/interrupted-import.ts', [
        database.databaseUrl ?? '',
        database.dataDir,
        String(moment),
      ])
      const status = await child.ended
      const output = child.output()
      if (moment === 0)
        assert.equal(output, `before ${hashes.first}\nafter ${hashes.second}\n`, child.errors())
      else assert.deepEqual([status, output], [null, `before ${hashes.first}\n`], child.errors())
    }
    const runs = await withTestDatabase(database, (db) => listRuns(db, kills + 1))
    assert.deepEqual(
      runs.map(({ state }) => state),
      ['done', ...moments.map(() => 'broken off')],
    )
    await database.remove()
  })
})
