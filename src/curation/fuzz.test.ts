/**
 * Imports of randomly damaged dumps. Each dump is either imported, or rejected with a one-line reason and an unchanged
 * database. `MOKUROKU_FUZZ_RUNS=500` tries more dumps. Seeds that once found a bug are listed below.
 */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { sql } from 'kysely'
import { filesUnder, pgDumpOf, tarOf, zipOf, type Members } from '#test/archives.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { SAMPLES, temporaryDumps } from '#test/dumps.ts'
import { mutateBytes, mutateFiles } from '#test/mutations.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { SeededRandom, seedRandom } from '#test/seeded-random.ts'
import { DumpError } from '../sources/dump/dump-error.ts'
import { importSource } from './import-source.ts'
import { openSource } from './sources.ts'
import { SOURCE_NAMES, type SourceName } from '../sources/registry.ts'

const RUNS = Number(process.env['MOKUROKU_FUZZ_RUNS'] ?? 2)

/** Skips bad rows, so that the rows after them are also read. */
const BAD_ROWS = { text: '100%', share: 1 }

/** Seeds that once found a bug. */
const REGRESSION_SEEDS: Partial<Record<SourceName, number[]>> = {}

async function pack(source: SourceName, files: Members): Promise<Uint8Array> {
  if (source === 'bangumi') return zipOf(files)
  if (source === 'ranobedb') return gzipSync(pgDumpOf(files))
  return zstdCompressSync(await tarOf(files))
}

describeOnDatabase('a randomly damaged dump', (engine) => {
  const { folderOf, fileOf } = temporaryDumps()
  let test: OpenTestDatabase
  before(async () => {
    test = await openTestDatabase(engine)
  })
  after(() => test.remove())

  async function load(source: SourceName, path: string) {
    const { records, close } = await openSource(source, path, { maxBadRows: BAD_ROWS })
    await importSource(test.db, source, records, { allowShrink: 'all' }).finally(close)
  }

  async function catalogContent() {
    const { rows } = await sql`
      select
        (select md5(string_agg(record::text, ' ' order by source, kind, external_id)) from source_records record) as records,
        (select md5(string_agg(work::text, ' ' order by id)) from works work) as works,
        (select count(*) from search_entries) as indexed`.execute(test.db)
    return rows
  }

  async function attempt(source: SourceName, seed: number) {
    const random = new SeededRandom(seed)
    const files = filesUnder(SAMPLES[source])
    const path = random.chance(0.7)
      ? folderOf(mutateFiles(files, random))
      : fileOf(mutateBytes(await pack(source, files), random))
    const then = await catalogContent()
    try {
      await load(source, path)
    } catch (error) {
      assert.ok(error instanceof DumpError, `seed ${seed}: ${String(error)}`)
      assert.doesNotMatch(error.message, /\n/, `seed ${seed}`)
      assert.deepEqual(await catalogContent(), then, `seed ${seed}`)
    }
  }

  for (const source of SOURCE_NAMES)
    it(`is imported, or rejected without any change: ${source}`, async () => {
      const random = seedRandom(source)
      for (const seed of REGRESSION_SEEDS[source] ?? []) await attempt(source, seed)
      for (let run = 0; run < RUNS; run += 1) await attempt(source, random.below(2 ** 31))
    })
})
