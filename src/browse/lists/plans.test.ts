import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, describeOnDatabase, type TestDatabase } from '#test/databases.ts'
import { fillListings } from '#test/listings.ts'
import { openDatabase, type OpenDatabase } from '../../db/database.ts'
import { withDeadline } from '../../db/server/deadlines.ts'
import { runLongStatement } from '../../db/server/long-transaction.ts'
import { keysOf } from '../../kernel/typed-records.ts'
import { NAME_ORDERS } from '../name-orders.ts'
import { listMaxIds } from '../public-entries-queries.ts'
import { findListPage } from './queries.ts'
import { SORTS, sortOf, type SortName } from './sorts.ts'
import type { ListRequest } from './page-statements.ts'

const ENTRIES = 40_000
/** Maximum number of rows read. Sorting all galgames, which are a quarter of the entries, would read more. */
const MAX_ROWS_READ = 0.8 * (ENTRIES / 4)
/**
 * PostgreSQL plans the first five executions of a prepared statement individually. After that, it may switch to a
 * generic plan.
 */
const EXECUTIONS = 7

describeOnDatabase('lists of a large catalog', () => {
  let testDatabase: TestDatabase
  let database: OpenDatabase
  before(async () => {
    testDatabase = await createDatabase('server', 'empty')
    // A single connection, so that its read statistics include every statement.
    database = await openDatabase(testDatabase)
    await withDeadline(Infinity, () => fillListings(database.db, ENTRIES))
  })
  after(async () => {
    await database.close()
    await testDatabase.remove()
  })

  async function reads() {
    await sql`select pg_stat_force_next_flush()`.execute(database.db)
    const { rows } = await sql<{ scans: number; fetched: number }>`
      select seq_scan as scans, idx_tup_fetch as fetched
      from pg_stat_user_tables where relname = 'listings'`.execute(database.db)
    assert.ok(rows[0])
    return rows[0]
  }

  function requestOf(
    sortName: SortName,
    groups: string[][],
    more: Partial<ListRequest> = {},
  ): ListRequest {
    const sort = sortOf(sortName, true)
    return {
      kinds: ['galgame'],
      nsfwValues: [false, true],
      groups,
      minScore: undefined,
      sort,
      dates: undefined,
      seesNsfw: true,
      after: sort.columns.map(({ start }) => start),
      offset: 0,
      limit: 11,
      ...more,
    }
  }

  const YEAR = { dates: { from: '2004-01-01', to: '2004-12-31' } }
  const FILTERS: [what: string, groups: string[][], more?: Partial<ListRequest>][] = [
    ['nothing', []],
    ['nothing, without nsfw ones', [], { nsfwValues: [false] }],
    ['a common platform', [['gf0']]],
    ['a rare tag', [['gt900']]],
    ['a person', [['gp77']]],
    ['status, platform and year', [['gsRELEASED'], ['gf1', 'gf2'], ['gy2004']], YEAR],
    ['two tags that few have both', [['gt1'], ['gt2']]],
    ['any of several tags, and a producer', [['gt1', 'gt5', 'gt9'], ['gr3']]],
    ['all but a common tag', [], { excluded: ['gt0'] }],
    ['all but several tags', [], { excluded: ['gt1', 'gt5', 'gt9'] }],
    ['two tags without a third', [['gt0'], ['gt1']], { excluded: ['gt2'] }],
    ['a person without a platform', [['gp77']], { excluded: ['gf0'] }],
    ['a score', [], { minScore: 9.7 }],
    ['a score and a common tag', [['gt0']], { minScore: 8 }],
    ['a year, a tag and a score', [['gy2004'], ['gt0']], { minScore: 6, ...YEAR }],
    ['a producer, a person and a platform', [['gr3'], ['gp77'], ['gf1']]],
    ['a person, a platform and a score', [['gp5'], ['gf0']], { minScore: 7 }],
    ['what many have, and a score', [['gf0'], ['gsRELEASED'], ['gl0']], { minScore: 7 }],
  ]
  for (const sort of SORTS.galgame)
    it(`read few rows for a page sorted by ${sort}, whatever the filters`, async () => {
      for (const [name, groups, more] of FILTERS) {
        const request = requestOf(sort, groups, more)
        const start = await reads()
        for (let time = 0; time < EXECUTIONS; time += 1)
          await findListPage(database.db, request, undefined)
        const end = await reads()
        assert.equal(end.scans, start.scans, `${name}: the whole table was read`)
        const each = (end.fetched - start.fetched) / EXECUTIONS
        assert.ok(each < MAX_ROWS_READ, `${name}: ${each} rows were read for a page`)
      }
    })

  it('read few rows for a page sorted by the name that viewers see, or by its first letter', async () => {
    // Half of the names differ, as in a catalog with translations.
    await runLongStatement(
      database.db,
      `update listings set name_en = md5(name) where id % 2 = 0 and kind = 'galgame'`,
    )
    await runLongStatement(database.db, 'vacuum analyze listings')
    for (const order of keysOf(NAME_ORDERS))
      for (const [name, groups, more] of [
        ...FILTERS,
        ['names with a letter', [], { names: { from: 'a', to: 'b' } }],
        ['names with a letter and a tag', [['gt0']], { names: { from: 'a', to: 'b' } }],
      ] as typeof FILTERS) {
        const sort = sortOf('name', true, order)
        const request = requestOf('name', groups, { ...more, sort })
        const start = await reads()
        await findListPage(database.db, request, undefined)
        const end = await reads()
        assert.equal(end.scans, start.scans, `${order}, ${name}: the whole table was read`)
        const rows = end.fetched - start.fetched
        assert.ok(rows < MAX_ROWS_READ, `${order}, ${name}: ${rows} rows were read for a page`)
      }
  })

  it('skip nsfw entries and entire kinds if none of their entries has the requested facet', async () => {
    await sql`
      with tagged as (
        update listings set facets = facets || '{gt5000}'
        where kind = 'galgame' and not nsfw and id % 5 = 0
        returning 1
      )
      insert into listing_facets (facet, everybody, nsfw) select 'gt5000', count(*), 0 from tagged`.execute(
      database.db,
    )
    await runLongStatement(database.db, 'vacuum analyze listings')
    const request = requestOf('popularity', [['gt5000', 'mt5000']], { kinds: ['galgame', 'manga'] })
    const start = await reads()
    const { entries } = await findListPage(database.db, request, undefined)
    assert.equal(entries.length, request.limit)
    const { fetched } = await reads()
    assert.ok(
      fetched - start.fetched < 1_000,
      `${fetched - start.fetched} rows were read for a page`,
    )
  })
  it('start at the end of the requested years instead of the newest entry', async () => {
    const blocksRead = async () => {
      await sql`select pg_stat_force_next_flush()`.execute(database.db)
      const { rows } = await sql<{ blocks: number }>`
        select idx_blks_hit + idx_blks_read as blocks
        from pg_statio_user_indexes where indexrelname = 'listings_by_date'`.execute(database.db)
      return rows[0]?.blocks ?? 0
    }
    const blocksOf = async (request: ListRequest) => {
      const start = await blocksRead()
      const { entries } = await findListPage(database.db, request, undefined)
      assert.equal(entries.length, request.limit)
      return (await blocksRead()) - start
    }
    const years = Array.from({ length: 15 }, (_, index) => `gy${1990 + index}`)
    const request = requestOf('date', [years], { dates: { from: '1990-01-01', to: '2004-12-31' } })
    const fromThere = await blocksOf({ ...request, after: ['2004-12-31', 1] })
    const fromAnywhere = await blocksOf(request)
    assert.ok(fromThere > 0)
    assert.ok(
      fromAnywhere < fromThere + 10,
      `${fromAnywhere} blocks of the index were read, not ${fromThere}`,
    )
  })

  it('find the highest ids for the sitemap by reading only the end of an index', async () => {
    const { rows: expected } = await sql<{ kind: string; last: number }>`
      select kind, max(id) as last from listings where not nsfw group by kind order by kind`.execute(
      database.db,
    )
    const start = await reads()
    const found = await listMaxIds(database.db)
    const end = await reads()
    assert.deepEqual(
      found.toSorted((a, b) => (a.kind < b.kind ? -1 : 1)),
      expected,
    )
    assert.equal(end.scans, start.scans, 'the whole table was read')
    assert.ok(end.fetched - start.fetched < 1_000, `${end.fetched - start.fetched} rows were read`)
  })
})
