import { queryRows } from '../db/query.ts'
import type { Database } from '../db/database.ts'
import type { Pattern, Probe } from './probes.ts'

/** An entry that was found, and how well its names answer: a level. */
export type Found = { section: number; id: number; readers: number; level: number }

const PATTERNS = `
  select (ordinality - 1)::integer as form, pattern.*
  from rows from (
    jsonb_to_recordset($1::jsonb) as (title text, name text, prefix text[], words text[], contained text[])
  ) with ordinality pattern`

/** How well the names of `entry` answer a pattern; null: not at all. */
const LEVEL = `
  case
    when entry.names like pattern.title then 0
    when entry.names like pattern.name then 1
    when entry.names like any (pattern.prefix) then 2
    when entry.words like all (pattern.words) then 3
    when entry.names like all (pattern.contained) then 4
  end`

/**
 * The best of what the probes `$2` find, of those sections alone that have fewer than `$3` candidates; the others are
 * named. Levels from `$4` to `$5`, at most `$6`.
 */
export const FIND = `
  with pattern as materialized (${PATTERNS}),
  candidate as materialized (
    select distinct probe.section, probe.form, grams.id
    from jsonb_to_recordset($2::jsonb) as probe(section smallint, form integer, keys integer[])
    cross join lateral (
      select id from search_grams where grams @> probe.keys limit $3
    ) grams
  ),
  size as materialized (
    select section, count(*) >= $3 as is_large from candidate group by section
  ),
  found as materialized (
    select entry.section, entry.id, entry.readers, min(${LEVEL}) as level
    from size
    join candidate on candidate.section = size.section
    join search_entries entry on entry.section = candidate.section and entry.id = candidate.id
    join pattern on pattern.form = candidate.form
    where not size.is_large
    group by entry.section, entry.id
  ),
  matching as materialized (
    select * from found where level between $4 and $5
  )
  select
    coalesce((select array_agg(section) from size where is_large), '{}') as large,
    (select count(*) from matching) as total,
    coalesce(
      (
        select jsonb_agg(jsonb_build_array(section, id, readers, level))
        from (select * from matching order by level, readers desc, id, section limit $6) best
      ),
      '[]'
    ) as found`

type FindRow = { large: number[]; total: number; found: [number, number, number, number][] }

export type FindOptions = { patterns: Pattern[]; probes: Probe[]; cap: number; levels: [number, number]; limit: number }

export async function findByGrams(db: Database, { patterns, probes, cap, levels, limit }: FindOptions) {
  const [row] = await queryRows<FindRow>(db, FIND, [
    JSON.stringify(patterns),
    JSON.stringify(probes),
    cap,
    ...levels,
    limit,
  ])
  return {
    large: row?.large ?? [],
    total: row?.total ?? 0,
    found: (row?.found ?? []).map(([section, id, readers, level]): Found => ({ section, id, readers, level })),
  }
}

/** The most read of each section `$2` of level `$3`, at most `$4` each, among the `$5` most read; `$6`: what any match is like. */
export const WALK = `
  with pattern as materialized (${PATTERNS})
  select walked.section, hit.id, hit.readers, hit.level
  from unnest($2::smallint[]) as walked(section)
  cross join lateral (
    select id, readers, level
    from (
      select id, readers, (select min(${LEVEL}) from pattern) as level
      from (
        select * from search_entries
        where search_entries.section = walked.section
        order by readers desc, id
        limit $5
      ) entry
      where entry.names like any ($6::text[])
      offset 0
    ) answering
    where level = $3
    order by readers desc, id
    limit $4
  ) hit`

export type WalkOptions = { patterns: Pattern[]; sections: number[]; level: number; limit: number; visits: number; likes: string[] }
export const walkByReaders = (db: Database, { patterns, sections, level, limit, visits, likes }: WalkOptions) =>
  queryRows<Found>(db, WALK, [JSON.stringify(patterns), sections, level, limit, visits, likes])

export const COUNT = `
  with pattern as materialized (${PATTERNS})
  select count(*) as total
  from (
    select
    from jsonb_to_recordset($2::jsonb) as probe(section smallint, form integer, keys integer[])
    join pattern on pattern.form = probe.form
    cross join lateral (select id from search_grams where grams @> probe.keys) grams
    join search_entries entry on entry.section = probe.section and entry.id = grams.id
    where ${LEVEL} is not null
    limit $3
  ) counted`
export async function countByGrams(db: Database, patterns: Pattern[], probes: Probe[], limit: number) {
  const [row] = await queryRows<{ total: number }>(db, COUNT, [JSON.stringify(patterns), JSON.stringify(probes), limit])
  return row?.total ?? 0
}
