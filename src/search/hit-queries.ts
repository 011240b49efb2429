import { queryRows } from '../db/query.ts'
import type { Database } from '../db/database.ts'
import { LEVEL, type Pattern, type Probe } from './probes.ts'

/** An entry that was found, and how well its names answer: a level. */
export type Found = { section: number; id: number; readers: number; level: number }

/** `$1`, one row a form of the query; the limit tells the planner that they are few. */
const PATTERNS = `
  select (ordinality - 1)::integer as form, pattern.*
  from rows from (
    jsonb_to_recordset($1::jsonb) as (title text, name text, prefix text[], words text[], whole text, parts text[])
  ) with ordinality pattern
  limit 8`

/** How well the names of `entry` answer a pattern, best first (`LEVEL`); null: not at all. Each title begins as a prefix does. */
const LEVEL_OF_ENTRY = `
  case
    when entry.names like any (pattern.prefix) then
      case when entry.names like pattern.title then 0 when entry.names like pattern.name then 1 else 2 end
    when entry.words like all (pattern.words) then 3
    when entry.names like pattern.whole or (entry.names || entry.words) like all (pattern.parts) then 4
  end`

/**
 * What the probes find, in their order, until they have had `$3` candidates together: of each group of sections, `$5` by their
 * numbers, the best `$4`. What a section has at the levels of a probe is found only where all its probes for them are done.
 */
const FIND = `
  with pattern as materialized (${PATTERNS}),
  probe as materialized (
    select probe.* from rows from (
      jsonb_to_recordset($2::jsonb)
        as (section smallint, form integer, keys integer[], from_level integer, to_level integer)
    ) with ordinality probe (section, form, keys, from_level, to_level, place)
    limit 128
  ),
  candidate as materialized (
    select pattern.section, pattern.place, entry.id, entry.readers, ${LEVEL_OF_ENTRY} as level
    from (
      select probe.section, probe.place, probe.keys, pattern.*
      from probe join pattern on pattern.form = probe.form
      order by probe.place
    ) pattern
    cross join lateral (
      select id, readers, names, words from search_entries where grams @> pattern.keys limit $3
    ) entry
    limit $3
  ),
  reached as materialized (
    select max(place) as place from candidate having count(*) >= $3
  ),
  asked as materialized (
    select section, from_level, to_level, coalesce(max(place) < (select place from reached), true) as is_done
    from probe
    group by section, from_level, to_level
  ),
  answering as materialized (
    select section, id, min(readers) as readers, min(level) as level
    from candidate
    where level is not null
    group by section, id
  ),
  found as materialized (
    select section, id, readers, level, ($5::smallint[])[section + 1] as section_group
    from answering
    join asked using (section)
    where asked.is_done and level between asked.from_level and asked.to_level
  )
  select
    (
      select coalesce(jsonb_agg(jsonb_build_array(section, from_level)), '[]') from asked where not is_done
    ) as undone,
    (select count(*) from found) as total,
    (select count(*) from answering) as seen,
    (
      select coalesce(jsonb_agg(jsonb_build_array(section, id, readers, level)), '[]')
      from (
        select *, row_number() over (
          partition by section_group order by level, readers desc, id, section
        ) as place
        from found
      ) ordered
      where place <= $4
    ) as found`

/** A probe with the grams of a level; the levels at which what it finds is wanted do not overlap with others of its section. */
export type LevelProbe = Probe & { level: number; from_level: number; to_level: number }

export type FindOptions = {
  patterns: Pattern[]
  probes: LevelProbe[]
  /** Candidates from which on no more are compared. */
  budget: number
  limit: number
  groups: number[]
}

type FindRow = {
  undone: [number, number][]
  total: number
  seen: number
  found: [number, number, number, number][]
}

export type FindResult = {
  /** Sections and first levels of the probes that the budget did not reach. */
  undone: [section: number, fromLevel: number][]
  /** How many the other probes found, and how many answer among all that was compared. */
  total: number
  seen: number
  found: Found[]
}

/** The best of what probes find, as far as the budget reaches. */
export async function findByGrams(
  db: Database,
  { patterns, probes, budget, limit, groups }: FindOptions,
): Promise<FindResult> {
  if (probes.length === 0) return { undone: [], total: 0, seen: 0, found: [] }
  const [row] = await queryRows<FindRow>(db, FIND, [
    JSON.stringify(patterns),
    JSON.stringify(probes),
    budget,
    limit,
    groups,
  ])
  return {
    undone: row?.undone ?? [],
    total: row?.total ?? 0,
    seen: row?.seen ?? 0,
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

/** An entry that several forms find is counted for the first of them; one that begins with a form and has it as words too, once. */
const COUNT = `
  with pattern as materialized (${PATTERNS})
  select count(*) as total
  from (
    select
    from (
      select * from jsonb_to_recordset($2::jsonb)
        as probe(section smallint, form integer, keys integer[], level integer)
      limit 128
    ) probe
    join pattern on pattern.form = probe.form
    cross join lateral (
      select id, names, words from search_entries where grams @> probe.keys offset 0
    ) entry
    where
      case probe.level
        when ${LEVEL.prefix} then entry.names like any (pattern.prefix)
        when ${LEVEL.words} then
          entry.words like all (pattern.words) and not (entry.names like any (pattern.prefix))
        else ${ANSWERS}
      end
      and (
        pattern.form = 0
        or not exists (
          select from (select * from pattern earlier where earlier.form < probe.form) pattern where ${ANSWERS}
        )
      )
    limit $3
  ) counted`

/** How many entries answer; from `limit` on any number that is not smaller. */
export async function countByGrams(db: Database, patterns: Pattern[], probes: LevelProbe[], limit: number) {
  const [row] = await queryRows<{ total: number }>(db, COUNT, [
    JSON.stringify(patterns),
    JSON.stringify(probes),
    limit,
  ])
  return row?.total ?? 0
}
