import { queryRow } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'

type Row = { entries: number; grams: string | null; shares: number[] | null }

const FREQUENCIES = statement('search.frequencies').returning<Row>(`
  select
    (select reltuples from pg_class where oid = 'search_entries'::regclass) as entries,
    stats.most_common_elems::text as grams,
    stats.most_common_elem_freqs as shares
  from (select) one
  left join pg_stats stats
    on (stats.schemaname, stats.tablename) = (
      select nspname, relname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where pg_class.oid = 'search_entries'::regclass
    )
    and stats.attname = 'grams'`)

/** Estimated number of entries, keyed by gram key. Contains only frequent grams. */
export type Frequencies = ReadonlyMap<number, number>

/** Reads the gram statistics of the last ANALYZE. They affect how hits are found, but not which hits are found. */
export async function findFrequencies(db: Database): Promise<Frequencies> {
  const row = await queryRow(db, FREQUENCIES, [])
  const keys = row?.grams ? row.grams.slice(1, -1).split(',') : []
  const entries = Math.max(0, row?.entries ?? 0)
  return new Map(keys.map((key, index) => [Number(key), (row?.shares?.[index] ?? 0) * entries]))
}
