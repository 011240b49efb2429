import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { describeOnDatabase } from '#test/databases.ts'
import { temporaryDumps } from '#test/dumps.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { writeBangumiDump } from '../../bench/support/dumps/bangumi.ts'
import { writeRanobedbDump } from '../../bench/support/dumps/ranobedb.ts'
import { writeVndbDump } from '../../bench/support/dumps/vndb.ts'
import { SECTIONS } from '../search/index/sections.ts'
import { importSource } from './import-source.ts'
import { mergeEntries } from './merge/merge-entries.ts'
import { openSource } from './sources.ts'

const MAKERS = { vndb: writeVndbDump, bangumi: writeBangumiDump, ranobedb: writeRanobedbDump }

describeOnDatabase('after imports', (engine) => {
  let database: OpenTestDatabase
  const { folderOf } = temporaryDumps()
  before(async () => void (database = await openTestDatabase(engine, 'empty')))
  after(() => database.remove())

  async function load(source: keyof typeof MAKERS, works: number, seed: number) {
    const folder = folderOf({})
    await MAKERS[source](folder, { works, seed })
    const { records, isWhole, close } = await openSource(source, folder)
    await importSource(database.db, source, records, { isWhole, allowShrink: 'all' }).finally(close)
  }

  type Entry = { kind: string; id: number; nsfw: boolean }
  const sorted = (entries: Entry[]) =>
    entries.map(({ kind, id, nsfw }) => `${kind} ${id} ${nsfw}`).toSorted()
  async function catalogEntries(): Promise<Entry[]> {
    const { rows } = await sql<Entry>`
      select resource_type as kind, resource_id as id, nsfw from catalog_entries`.execute(
      database.db,
    )
    return rows
  }

  /**
   * The feed contains tags and volumes, but search and lists do not: tags are identified by name, and volumes appear
   * with their works.
   */
  async function assertEachIsFound() {
    const all = await catalogEntries()
    const entries = all.filter(({ kind }) => kind !== 'tag' && !kind.endsWith('_volume'))
    const { rows: indexed } = await sql<{ section: number; id: number }>`
      select section, id from search_entries`.execute(database.db)
    const inSections = indexed.map(({ section, id }) => {
      const { kind = '', nsfw = false } = SECTIONS[section] ?? {}
      return { kind, id, nsfw }
    })
    assert.deepEqual(sorted(inSections), sorted(entries), 'search')
    const { rows: listed } = await sql<Entry>`select kind, id, nsfw from listings`.execute(
      database.db,
    )
    assert.deepEqual(sorted(listed), sorted(entries), 'lists')
    return Object.fromEntries(
      [...Map.groupBy(all, ({ kind }) => kind)].map(([kind, { length }]) => [kind, length]),
    )
  }

  it('search and lists contain every entry once, but neither tags nor volumes', async () => {
    for (const source of ['vndb', 'bangumi', 'ranobedb'] as const) await load(source, 40, 1)
    const counts = await assertEachIsFound()
    for (const kind of [
      'galgame',
      'light_novel',
      'manga',
      'person',
      'producer',
      'character',
      'tag',
      'light_novel_volume',
      'manga_volume',
    ])
      assert.ok((counts[kind] ?? 0) > 5, kind)
  })

  it('search and lists still contain every entry after entries are withdrawn, added and merged', async () => {
    await load('vndb', 25, 1)
    await assertEachIsFound()
    await load('bangumi', 30, 2)
    await assertEachIsFound()
    const [into, from] = (await catalogEntries()).flatMap(({ kind, id }) =>
      kind === 'person' ? [id] : [],
    )
    await mergeEntries(database.db, { kind: 'person', from: from ?? 0, into: into ?? 0 })
    await assertEachIsFound()
  })
})
