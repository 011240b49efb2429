import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { ENTRY_KINDS, WORK_KINDS } from '../../catalog/kinds.ts'
import { COLUMNS, WORK_COLUMNS } from './columns.ts'
import { idTableOf, nameFieldOf, RECORD_KINDS, RECORD_KIND_NAMES } from './record-kinds.ts'

/**
 * Columns that are not filled from fields of records: ids, generated columns, and the position of a volume in its
 * work and the time at which it was added.
 */
const KEYS = new Set(['id', 'kind', 'position', 'light_novel_id', 'manga_id', 'added_at'])

describe('record fields', () => {
  let test: OpenTestDatabase
  before(async () => {
    test = await openTestDatabase('server')
  })
  after(() => test.remove())

  async function columnsOf(table: string) {
    const { rows } = await sql<{ name: string; nullable: boolean }>`
      select column_name as name, is_nullable = 'YES' as nullable
      from information_schema.columns
      where table_schema = 'public' and table_name = ${table}`.execute(test.db)
    return rows.filter(({ name }) => !KEYS.has(name))
  }

  const TABLES = [
    { table: 'works', columns: WORK_COLUMNS, name: null },
    ...RECORD_KIND_NAMES.map((kind) => ({
      table: RECORD_KINDS[kind].table,
      columns: COLUMNS[kind],
      name: nameFieldOf(kind),
    })),
  ]
  for (const { table, columns, name } of TABLES)
    it(`match the columns of ${table}, which are nullable where a field may be null`, async () => {
      const stored = await columnsOf(table)
      assert.deepEqual(
        Object.keys(columns).toSorted(),
        stored.map((column) => column.name).toSorted(),
      )
      for (const [field, fallback] of Object.entries(columns))
        if (fallback === null && field !== name && !['created_at', 'updated_at'].includes(field))
          assert.ok(stored.find((column) => column.name === field)?.nullable, `${table}.${field}`)
    })

  it('belong to kinds that the database knows, each with a sequence for its ids', async () => {
    const kindsIn = async (table: string) => {
      const { rows } = await sql<{ check: string }>`
        select pg_get_constraintdef(oid) as check from pg_constraint
        where conrelid = ${table}::regclass and contype = 'c' and pg_get_constraintdef(oid) like '%kind%'`.execute(
        test.db,
      )
      return rows
        .flatMap(({ check }) => [...check.matchAll(/'(\w+)'/g)].map(([, kind]) => kind))
        .toSorted()
    }
    assert.deepEqual(await kindsIn('works'), WORK_KINDS.toSorted())
    assert.deepEqual(await kindsIn('merged_entries'), ENTRY_KINDS.toSorted())
    for (const kind of RECORD_KIND_NAMES) {
      const { rows } = await sql<{ sequence: string | null }>`
        select pg_get_serial_sequence(${idTableOf(kind)}, 'id') as sequence`.execute(test.db)
      assert.notEqual(rows[0]?.sequence ?? null, null, kind)
    }
  })
})
