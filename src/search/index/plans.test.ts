import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createDatabase, describeOnDatabase, type TestDatabase } from '#test/databases.ts'
import { planOf, tablesReadAgain } from '#test/query-plans.ts'
import { ownStatementsOf, type SentStatement } from '#test/statements.ts'
import { openDatabase, type OpenDatabase } from '../../db/database.ts'
import { queryText } from '../../db/query.ts'
import { beginRebuild, isRebuilding, rebuildNextBatch } from './rebuild-queries.ts'
import { analyzeIndex } from './write-queries.ts'

const WORKS = 3_000
const PEOPLE = 1_000

/** Tables that grow with the catalog: those of the index and those that it is built from. */
const LARGE = new Set([
  'search_entries',
  'search_words',
  'works',
  'galgames',
  'people',
  'galgame_staff',
  'listings',
])

/** Inserts an operator's rows without the triggers that update the index. */
const FILL = [
  'set session_replication_role = replica',
  `insert into works (id, kind, nsfw) select n, 'galgame', n % 3 = 0 from generate_series(1, ${WORKS}) n`,
  `insert into galgames (id, origin_title, trans_title)
   select n, md5(n::text) || ' no ' || translate(md5((n / 3)::text), '0123456789', 'ghijklmnop'), '天使' || n
   from generate_series(1, ${WORKS}) n`,
  `insert into people (id, name) select n, translate(md5(n::text), '0123456789', 'ghijklmnop')
   from generate_series(1, ${PEOPLE}) n`,
  `insert into galgame_staff (galgame_id, position, person_id, role, credited_as)
   select n, 0, 1 + n % ${PEOPLE}, 'SCENARIO', 'Zoe ' || n from generate_series(1, ${WORKS}) n`,
  'set session_replication_role = origin',
]

describeOnDatabase('a rebuild of the search index', (engine) => {
  let testDatabase: TestDatabase
  let database: OpenDatabase
  before(async () => {
    testDatabase = await createDatabase(engine, 'empty')
    database = await openDatabase(testDatabase)
    // Without this, the statistics would depend on when autovacuum runs.
    for (const table of LARGE)
      await queryText(database.db, `alter table ${table} set (autovacuum_enabled = false)`, [])
    for (const statement of FILL) await queryText(database.db, statement, [])
  })
  after(async () => {
    await database.close()
    await testDatabase.remove()
  })

  /** Returns the statements that scan a large table once per row of another table, with these tables. */
  async function listReadAgain(statements: Iterable<SentStatement>) {
    const repeated = []
    for (const statement of statements) {
      const tables = tablesReadAgain(await planOf(database.db, statement)).filter((table) =>
        LARGE.has(table),
      )
      if (tables.length > 0) repeated.push({ tables, statement: statement.sql })
    }
    return repeated
  }

  it("never scans a table repeatedly, whatever the planner's estimates", async () => {
    const { db } = database
    await beginRebuild(db)
    const statements = new Map<string, SentStatement>()
    while (await isRebuilding(db)) {
      const sent = await ownStatementsOf(() => rebuildNextBatch(db))
      const planned = sent.filter(({ sql }) =>
        /^\s*(?:with|select|insert|update|delete)\b/.test(sql),
      )
      assert.deepEqual(await listReadAgain(planned), [], 'before the tables are analyzed')
      // Stores the last parameters of each statement.
      for (const statement of planned) statements.set(statement.sql, statement)
    }
    assert.ok([...statements.keys()].some((text) => text.includes('delete from search_words')))
    await analyzeIndex(db)
    assert.deepEqual(await listReadAgain(statements.values()), [], 'after the tables are analyzed')
    // Simulates a wrong estimate: without hash and merge joins, each row needs an index.
    for (const join of ['hashjoin', 'mergejoin'])
      await queryText(db, `set enable_${join} = off`, [])
    assert.deepEqual(await listReadAgain(statements.values()), [], 'with lookups of single rows')
  })
})
