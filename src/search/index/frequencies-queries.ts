import { queryRows } from '../../db/query.ts'
import type { Database } from '../../db/database.ts'

const FREQUENCIES = `
  select
    (select reltuples from pg_class where oid = 'search_entries'::regclass) as entries,
    (
      select max(last.id)
      from unnest($1::smallint[]) as asked(section)
      cross join lateral (
        select id from search_entries where section = asked.section order by section desc, id desc limit 1
      ) last
    ) as max_id,
    stats.most_common_elems::text as grams,
    stats.most_common_elem_freqs as shares
  from (select) one
  left join pg_stats stats
    on (stats.schemaname, stats.tablename) = (
      select nspname, relname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where pg_class.oid = 'search_entries'::regclass
    )
    and stats.attname = 'grams'`

/** About how many entries have a gram, by its key, as far as they are many; and the last id there is. */
export type Frequencies = { grams: ReadonlyMap<number, number>; maxId: number }

/** What the database knew when it last analyzed the index. Hits do not depend on it, only the way they are looked for. */
export async function findFrequencies(db: Database, sections: number[]): Promise<Frequencies> {
  type Row = { entries: number; max_id: number | null; grams: string | null; shares: number[] | null }
  const [row] = await queryRows<Row>(db, FREQUENCIES, [sections])
  const keys = row?.grams ? row.grams.slice(1, -1).split(',') : []
  const entries = Math.max(0, row?.entries ?? 0)
  return {
    grams: new Map(keys.map((key, index) => [Number(key), (row?.shares?.[index] ?? 0) * entries])),
    maxId: row?.max_id ?? 0,
  }
}
