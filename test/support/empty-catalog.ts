import { after, before, beforeEach } from 'node:test'
import { sql } from 'kysely'
import type { Source, SourceRecord } from '../../src/sources/records/record.ts'
import { emptyCatalog, importRecords, readColumns } from './catalog.ts'
import type { Engine } from './databases.ts'
import { openTestDatabase, type OpenTestDatabase } from './open-database.ts'

/**
 * Prepares a suite of import tests: a database emptied before each test, with helpers that fill and read it.
 *
 * @param use receives the open database
 */
export function onEmptyCatalog(engine: Engine, use: (test: OpenTestDatabase) => void) {
  let test: OpenTestDatabase
  before(async () => {
    test = await openTestDatabase(engine)
    use(test)
  })
  beforeEach(() => emptyCatalog(test.db))
  after(() => test.remove())

  const read = (table: string, ...columns: string[]) => readColumns(test.db, table, columns)
  return {
    run: (source: Source, ...records: SourceRecord[]) => importRecords(test.db, source, records),
    read,
    /** Returns the records of each entry that several sources have. */
    async joined(): Promise<string[]> {
      const { rows } = await sql<{ records: string }>`
        select string_agg(source || ' ' || external_id, ', ' order by source, external_id) as records
        from source_records
        where kind <> 'light_novel_volume'
        group by kind, entry_id
        having count(distinct source) > 1
        order by 1`.execute(test.db)
      return rows.map(({ records }) => records)
    },
    /** Returns the people credited on a galgame, by row id. */
    async staffOf(work: string) {
      const rows = await read('galgame_staff', 'galgame_id', 'person_id')
      return rows.filter(([owner]) => owner === work).map(([, person]) => person)
    },
  }
}
