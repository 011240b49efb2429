import type { Database } from '../../db/database.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'

/** A source that says something of an entry, with the last import of it. */
export type LoadedSource = { source: string; dump_date: string | null; imported_at: Date | null }

/** The last import that names a day: one of a part may come after that of the whole. */
const LOADED = statement('catalog.loaded').returning<LoadedSource>(`
  select
    asked.source,
    (
      select run.dump_date::text from import_runs run
      where run.source = asked.source and run.outcome = 'done' and run.dump_date is not null
      order by run.id desc limit 1
    ) as dump_date,
    (
      select run.ended_at from import_runs run
      where run.source = asked.source and run.outcome = 'done'
      order by run.id desc limit 1
    ) as imported_at
  from unnest($1::text[]) with ordinality as asked (source, place)
  where exists (select from source_records record where record.source = asked.source)
  order by asked.place`)

/** Which of the sources have records, in their order. */
export function listLoaded(db: Database, sources: string[]): Promise<LoadedSource[]> {
  return queryRows(db, LOADED, [sources])
}
