import type { Reads } from '../../db/replicas/reads.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'

/** A source with records, and its last import. */
export type LoadedSource = { source: string; dump_date: string | null; imported_at: Date | null }

/** The date comes from the last import that has one, because a partial import without a date may follow a full one. */
const LOADED_SOURCES = statement('catalog.loaded').returning<LoadedSource>(`
  select
    requested.source,
    (
      select run.dump_date::text from import_runs run
      where run.source = requested.source and run.outcome = 'done' and run.dump_date is not null
      order by run.id desc limit 1
    ) as dump_date,
    (
      select run.ended_at from import_runs run
      where run.source = requested.source and run.outcome = 'done'
      order by run.id desc limit 1
    ) as imported_at
  from unnest($1::text[]) with ordinality as requested (source, place)
  where exists (select from source_records record where record.source = requested.source)
  order by requested.place`)

/** Returns the given sources that have records, in the given order. */
export const listLoadedSources = (db: Reads, sources: string[]) =>
  queryRows(db, LOADED_SOURCES, [sources])
