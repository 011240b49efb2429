import { queryRows } from '../db/query.ts'
import type { Database } from '../db/database.ts'
import type { Pattern, Probe } from './probes.ts'

/** An entry that was found, and how well its names answer: a level. */
export type Found = { section: number; id: number; readers: number; level: number }

/** `$1`, one row a form of the query; the limit tells the planner that they are few. */
const PATTERNS = `
  select (ordinality - 1)::integer as form, pattern.*
  from rows from (
    jsonb_to_recordset($1::jsonb) as (title text, name text, prefix text[], words text[], whole text, parts text[])
  ) with ordinality pattern
  limit 8`

/** How well the names of `entry` answer a pattern, best first (`LEVEL`); null: not at all. */
const LEVEL_OF_ENTRY = `
  case
    when entry.names like pattern.title then 0
    when entry.names like pattern.name then 1
    when entry.names like any (pattern.prefix) then 2
    when entry.words like all (pattern.words) then 3
    when entry.names like pattern.whole or (entry.names || entry.words) like all (pattern.parts) then 4
  end`

/**
 * The best of what the probes find, in their order, as long as they have fewer than `$3` candidates together; the sections of
 * the others are named. Levels from `$4` to `$5`; of each group of sections, `$7` by their numbers, at most `$6`.
 */
const FIND = `
  with pattern as materialized (${PATTERNS}),
  probe as materialized (
    select probe.* from rows from (
      jsonb_to_recordset($2::jsonb) as (section smallint, form integer, keys integer[])
    ) with ordinality probe (section, form, keys, place)
    limit 64
  ),
  candidate as materialized (
    select probe.section, probe.form, probe.place, entry.id, entry.readers, entry.names, entry.words
    from (select * from probe order by place) probe
    cross join lateral (
      select id, readers, names, words from search_entries where grams @> probe.keys limit $3
    ) entry
    limit $3
  ),
  reached as materialized (
    select max(place) as place from candidate having count(*) >= $3
  ),
  large as materialized (
    select distinct section from probe where place >= (select place from reached)
  ),
  found as materialized (
    select section, id, readers, level, ($7::smallint[])[section + 1] as section_group
    from (
      select entry.section, entry.id, min(entry.readers) as readers, min(${LEVEL_OF_ENTRY}) as level
      from candidate entry
      join pattern on pattern.form = entry.form
      where entry.section <> all (array(select section from large))
      group by entry.section, entry.id
    ) answering
    where level between $4 and $5
  )
  select
    array(select section from large) as large,
    (select count(*) from found) as total,
    (
      select coalesce(jsonb_agg(jsonb_build_array(section, id, readers, level)), '[]')
      from (
        select *, row_number() over (
          partition by section_group order by level, readers desc, id, section
        ) as place
        from found
      ) ordered
      where place <= $6
    ) as found`

export type FindOptions = {
  patterns: Pattern[]
  probes: Probe[]
  /** Candidates from which on no more are compared. */
  budget: number
  levels: readonly [from: number, to: number]
  limit: number
  groups: number[]
}

type FindRow = { large: number[]; total: number; found: [number, number, number, number][] }

/** The best of what probes find in the sections that the budget reaches, and the sections that it does not. */
export async function findByGrams(
  db: Database,
  { patterns, probes, budget, levels, limit, groups }: FindOptions,
): Promise<{ large: number[]; total: number; found: Found[] }> {
  if (probes.length === 0) return { large: [], total: 0, found: [] }
  const [row] = await queryRows<FindRow>(db, FIND, [
    JSON.stringify(patterns),
    JSON.stringify(probes),
    budget,
    ...levels,
    limit,
    groups,
  ])
  return {
    large: row?.large ?? [],
    total: row?.total ?? 0,
    found: (row?.found ?? []).map(([section, id, readers, level]) => ({ section, id, readers, level })),
  }
}

/**
 * The first `$4` of level `$3` in each group of sections: the first bucket that has entries, then the next two, the next four
 * and so on, until there are enough. The order of buckets is that of readers and ids, and what is read together is sorted.
 */
const WALK = `
  with pattern as materialized (${PATTERNS}),
  probe as materialized (
    select * from jsonb_to_recordset($2::jsonb)
      as probe(section smallint, form integer, keys integer[], first_bucket integer, section_group smallint)
    limit 64
  )
  select hit.*
  from (select distinct section_group from probe) walked
  cross join lateral (
    select answering.*
    from (
      select min(bucket) as first, max(bucket) as last
      from (
        select bucket, floor(log(row_number() over (order by bucket)) / log(2)) as step
        from (
          select distinct bucket
          from search_buckets
          where section in (select section from probe where probe.section_group = walked.section_group)
        ) known
      ) ordered
      group by step
      order by step
    ) chunk
    cross join lateral (
      select *
      from (
        select probe.section, entry.id, min(entry.readers) as readers, min(${LEVEL_OF_ENTRY}) as level
        from probe
        join pattern on pattern.form = probe.form
        cross join lateral (
          select array_agg(probe.first_bucket + bucket) as keys
          from search_buckets
          where section = probe.section and bucket between chunk.first and chunk.last
        ) buckets
        cross join lateral (
          select id, readers, names, words from search_entries
          where grams @> probe.keys and grams && buckets.keys
          offset 0
        ) entry
        where probe.section_group = walked.section_group and buckets.keys is not null
        group by probe.section, entry.id
      ) compared
      where level = $3
      order by readers desc, id, section
    ) answering
    limit $4
  ) hit`

/** A probe of a section that is read bucket by bucket. */
export type BucketProbe = Probe & { first_bucket: number; section_group: number }

export type WalkOptions = {
  patterns: Pattern[]
  probes: BucketProbe[]
  level: number
  limit: number
}

/** The first entries of a level in each group of sections, where many answer. */
export const walkBuckets = (
  db: Database,
  { patterns, probes, level, limit }: WalkOptions,
): Promise<Found[]> =>
  queryRows<Found>(db, WALK, [JSON.stringify(patterns), JSON.stringify(probes), level, limit])

const ANSWERS = `(
  entry.names like pattern.whole
  or (entry.names || entry.words) like all (pattern.parts)
  or entry.words like all (pattern.words)
  or entry.names like any (pattern.prefix)
)`

/** An entry that several forms find is counted for the first of them; by two probes of one form, once. */
const COUNT = `
  with pattern as materialized (${PATTERNS})
  select count(*) as total
  from (
    select distinct section, id
    from (select probe.section, entry.id
    from (
      select * from jsonb_to_recordset($2::jsonb) as probe(section smallint, form integer, keys integer[]) limit 64
    ) probe
    join pattern on pattern.form = probe.form
    cross join lateral (
      select id, names, words from search_entries where grams @> probe.keys offset 0
    ) entry
    where ${ANSWERS}
      and (
        pattern.form = 0
        or not exists (
          select from (select * from pattern earlier where earlier.form < probe.form) pattern where ${ANSWERS}
        )
      )
    limit $3) counted
  ) entries`

/** How many entries answer; from `limit` on any number that is not smaller. */
export async function countByGrams(db: Database, patterns: Pattern[], probes: Probe[], limit: number) {
  // An entry that answers several forms is counted for the first, but by each probe of that form.
  const mostOfOne = new Map<string, number>()
  for (const { section, form } of probes) {
    const key = `${section} ${form}`
    mostOfOne.set(key, (mostOfOne.get(key) ?? 0) + 1)
  }
  const [row] = await queryRows<{ total: number }>(db, COUNT, [
    JSON.stringify(patterns),
    JSON.stringify(probes),
    limit * Math.max(...mostOfOne.values()),
  ])
  return row?.total ?? 0
}
