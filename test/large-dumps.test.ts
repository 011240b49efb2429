import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { KyselyPlugin } from 'kysely'
import { writeBangumiDump } from '../bench/support/dumps/bangumi.ts'
import { writeRanobedbDump } from '../bench/support/dumps/ranobedb.ts'
import { writeVndbDump } from '../bench/support/dumps/vndb.ts'
import type { SourceRecord } from '../src/sources/records/record.ts'
import { openSource } from '../src/curation/sources.ts'
import { describeOnEachDatabase } from './support/databases.ts'
import { temporaryDumps } from './support/dumps.ts'
import { openTestDatabase, type OpenTestDatabase } from './support/open-database.ts'
import { SeededRandom } from './support/seeded-random.ts'
import type { SourceName } from '../src/sources/registry.ts'

const { folderOf } = temporaryDumps()

const MAKERS = { vndb: writeVndbDump, bangumi: writeBangumiDump, ranobedb: writeRanobedbDump }

async function makeDump(source: keyof typeof MAKERS, works: number): Promise<string> {
  const folder = folderOf({})
  await MAKERS[source](folder, { works, seed: 3 })
  return folder
}

/** Shuffles the rows of every table and repeats some of them. */
function shuffle(folder: string) {
  const random = new SeededRandom(7)
  for (const table of readdirSync(folder).filter((name) => !name.endsWith('.header'))) {
    const rows = readFileSync(join(folder, table), 'utf8').split('\n').filter(Boolean)
    const repeated = [...rows, ...rows.filter(() => random.chance(0.05))]
    const mixed = repeated
      .map((row) => ({ row, place: random.next() }))
      .toSorted((a, b) => a.place - b.place)
    writeFileSync(join(folder, table), mixed.map(({ row }) => `${row}\n`).join(''))
  }
}

async function read(
  { db }: OpenTestDatabase,
  source: SourceName,
  folder: string,
  plugin?: KyselyPlugin,
) {
  const { records, close } = await openSource(source, folder)
  const report = { note: () => {} }
  return db
    .transaction()
    .execute((trx) => Array.fromAsync(records(report, plugin ? trx.withPlugin(plugin) : trx)))
    .finally(close)
}

describe('a generated dump', () => {
  for (const source of ['vndb', 'bangumi', 'ranobedb'] as const)
    it(`is the same for the same seed: ${source}`, async () => {
      const [one, second] = [await makeDump(source, 20), await makeDump(source, 20)]
      const contentOf = (folder: string) =>
        readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(
            (entry) => `${entry.name} ${readFileSync(join(entry.parentPath, entry.name), 'utf8')}`,
          )
          .toSorted()
      assert.deepEqual(contentOf(one), contentOf(second))
    })
})

const first: Record<string, SourceRecord[]> = {}

describeOnEachDatabase('the records of a dump', (engine) => {
  let database: OpenTestDatabase
  before(async () => void (database = await openTestDatabase(engine, 'cluster')))
  after(() => database.remove())

  for (const source of ['vndb', 'bangumi'] as const)
    it(`match its rows in order, even if the rows are shuffled and repeated: ${source}`, async () => {
      const folder = await makeDump(source, 40)
      const inOrder = await read(database, source, folder)
      shuffle(source === 'vndb' ? join(folder, 'db') : folder)
      const mixed = await read(database, source, folder)
      // Both databases give equal records, including the order of lists.
      first[source] ??= mixed
      assert.deepEqual(mixed, first[source])
      const idsOf = (records: SourceRecord[]) =>
        [...new Set(records.map(({ kind, external_id }) => `${kind} ${external_id}`))].toSorted()
      assert.ok(inOrder.length > 100)
      if (source === 'vndb') assert.deepEqual(idsOf(mixed), idsOf(inOrder))
    })

  it('are read with constant memory, whatever the size of the dump', async () => {
    const largest = async (works: number) => {
      let rows = 0
      const counting: KyselyPlugin = {
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          rows = Math.max(rows, result.rows.length)
          return result
        },
      }
      const records = await read(database, 'vndb', await makeDump('vndb', works), counting)
      return { rows, records: records.length }
    }
    const [small, large] = [await largest(200), await largest(600)]
    assert.ok(large.records > 2.5 * small.records)
    assert.equal(small.rows, 250)
    assert.equal(large.rows, 250)
  })
})
