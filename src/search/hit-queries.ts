import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Reads } from '../db/replicas/reads.ts'
import { LEVEL, type Pattern, type Probe } from './probes.ts'

/** A matching entry with the level of its best match. */
export type FoundHit = { section: number; id: number; readers: number; level: number }

/** Query forms from `$1`, one row each. The limit makes the planner expect few rows. */
export const PATTERNS = `
  select (ordinality - 1)::integer as form, pattern.*
  from rows from (
    jsonb_to_recordset($1::jsonb) as (
      title text, name text, title_head text, name_head text,
      word text, other_words text[], whole text, part text, other_parts text[]
    )
  ) with ordinality pattern
  limit 8`

export const isIn = (text: string, names: string) => `strpos(entry.${names}, pattern.${text}) > 0`

const BEGINS = `(${isIn('title_head', 'names')} or ${isIn('name_head', 'names')})`
export const HAS_WORDS = `(${isIn('word', 'words')} and entry.words like all (pattern.other_words))`
/** A word cannot span the boundary between `names` and `words`: names end in a mark, and words begin with a space. */
const CONTAINS = `(
  ${isIn('whole', 'names')}
  or (${isIn('part', 'names')} or ${isIn('part', 'words')})
    and (entry.names || entry.words) like all (pattern.other_parts)
)`

/**
 * SQL for the match level (`LEVEL`) of the names of `entry`: the best level, or null. An exact title is also a prefix
 * match.
 */
const LEVEL_OF_ENTRY = `
  case
    when ${BEGINS} then
      case when ${isIn('title', 'names')} then 0 when ${isIn('name', 'names')} then 1 else 2 end
    when ${HAS_WORDS} then 3
    when ${CONTAINS} then 4
  end`

/**
 * Runs the probes in order until they have read `$3` candidates in total. Returns a row for each probe with
 * candidates, with its matches as arrays. The caller merges the arrays, because merging in the database would cost
 * more than the comparison itself.
 */
const FIND = statement('search.find').returning<FindRow>(`
  with pattern as materialized (${PATTERNS})
  select
    place,
    count(*) as candidates,
    array_agg(id) filter (where level is not null)::text as ids,
    array_agg(readers) filter (where level is not null)::text as readers,
    array_agg(level) filter (where level is not null)::text as levels
  from (
    select pattern.place, entry.id, entry.readers, ${LEVEL_OF_ENTRY} as level
    from (
      select probe.place, probe.keys, pattern.*
      from (
        select * from rows from (
          jsonb_to_recordset($2::jsonb) as (form integer, keys integer[])
        ) with ordinality probe (form, keys, place)
        limit 128
      ) probe
      join pattern on pattern.form = probe.form
      order by probe.place
    ) pattern
    cross join lateral (
      select id, readers, names, words from search_entries where grams @> pattern.keys limit $3
    ) entry
    limit $3
  ) candidate
  group by place`)

/** A probe with the grams of a level. The level ranges of a section's probes do not overlap. */
export type LevelProbe = Probe & { level: number; from_level: number; to_level: number }

export type FindOptions = {
  patterns: Pattern[]
  probes: LevelProbe[]
  /** Maximum number of candidates to compare. */
  budget: number
}

type FindRow = {
  place: number
  candidates: number
  ids: string | null
  readers: string | null
  levels: string | null
}

export type FindResult = {
  /** Section and first level of each probe that was not run within the budget. */
  unreached: [section: number, fromLevel: number][]
  /** Number of hits of the completed probes, and number of matches among all compared candidates. */
  total: number
  matched: number
  found: FoundHit[]
}

/**
 * Runs probes within the budget. Hits at a probe's levels are returned only if all probes of the section for these
 * levels were completed.
 */
export async function findByGrams(
  db: Reads,
  { patterns, probes, budget }: FindOptions,
): Promise<FindResult> {
  if (probes.length === 0) return { unreached: [], total: 0, matched: 0, found: [] }
  const rows = await queryRows(db, FIND, [
    JSON.stringify(patterns),
    JSON.stringify(probes.map(({ form, keys }) => ({ form, keys }))),
    budget,
  ])
  const isBudgetSpent = rows.reduce((sum, { candidates }) => sum + candidates, 0) >= budget
  const unreached = probesFrom(
    probes,
    isBudgetSpent ? Math.max(...rows.map(({ place }) => place)) : Infinity,
  )
  const matching = bestHits(probes, rows)
  const found = matching.filter(({ section, level }) =>
    probes.some(
      (probe) =>
        probe.section === section &&
        probe.from_level <= level &&
        level <= probe.to_level &&
        !isUnreached(unreached, probe.section, probe.from_level),
    ),
  )
  return { unreached, total: found.length, matched: matching.length, found }
}

/** Returns the section and first level of each probe from the given position on. Positions start at 1. */
const probesFrom = (probes: LevelProbe[], index: number): [number, number][] =>
  probes.slice(index - 1).map(({ section, from_level }) => [section, from_level])

/** Whether the budget ran out before the section's probes that start at level `from` were run. */
export const isUnreached = (unreached: [number, number][], section: number, from: number) =>
  unreached.some(([of, level]) => of === section && level === from)

/** Returns each matching entry once, at its best level over all forms. */
function bestHits(probes: LevelProbe[], rows: FindRow[]): FoundHit[] {
  const best = new Map<number, Map<number, FoundHit>>(
    probes.map(({ section }) => [section, new Map()]),
  )
  for (const { place, ids, readers, levels } of rows) {
    const section = probes[place - 1]?.section ?? 0
    const ofSection = best.get(section)
    const [readersOf, levelsOf] = [numbersIn(readers), numbersIn(levels)]
    for (const [index, id] of numbersIn(ids).entries()) {
      const hit = {
        section,
        id,
        readers: readersOf[index] ?? 0,
        level: levelsOf[index] ?? LEVEL.contained,
      }
      const other = ofSection?.get(id)
      if (!other || hit.level < other.level) ofSection?.set(id, hit)
    }
  }
  return [...best.values()].flatMap((ofSection) => [...ofSection.values()])
}

/** Parses an array of numbers in PostgreSQL's text format. */
const numbersIn = (array: string | null): number[] =>
  // as: the array contains only numbers
  array === null ? [] : (JSON.parse(`[${array.slice(1, -1)}]`) as number[])

/**
 * Finds the first `$4` entries of level `$3` in each group of sections. Reads the first non-empty bucket, then the
 * next two, the next four and so on, until there are enough entries. Buckets are ordered by users and id; entries of
 * buckets that are read together are sorted.
 */
const WALK = statement('search.walk').returning<FoundHit>(`
  with pattern as materialized (${PATTERNS}),
  probe as materialized (
    select * from jsonb_to_recordset($2::jsonb)
      as probe(section smallint, form integer, keys integer[], first_bucket integer, section_group smallint)
    limit 64
  )
  select hit.*
  from (select distinct section_group from probe) walked
  cross join lateral (
    select matching.*
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
    ) matching
    limit $4
  ) hit`)

/** A probe for a section that is read bucket by bucket. */
export type BucketProbe = Probe & { first_bucket: number; section_group: number }

export type WalkOptions = {
  patterns: Pattern[]
  probes: BucketProbe[]
  level: number
  limit: number
}

/** Returns the first entries of a level in each group of sections. Used for queries with many matches. */
export const walkBuckets = (
  db: Reads,
  { patterns, probes, level, limit }: WalkOptions,
): Promise<FoundHit[]> =>
  queryRows(db, WALK, [JSON.stringify(patterns), JSON.stringify(probes), level, limit])

/** The condition that is most likely to hold comes first. */
const MATCHES = `(${CONTAINS} or ${HAS_WORDS} or ${BEGINS})`

/**
 * Counts each entry once: for the first form that matches it. An entry whose name begins with the form is not counted
 * again for its words.
 */
const COUNT = statement('search.count').returning<{ total: number }>(`
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
        when ${LEVEL.prefix} then ${BEGINS}
        when ${LEVEL.words} then
          ${HAS_WORDS} and not ${BEGINS}
        else ${MATCHES}
      end
      and (
        pattern.form = 0
        or not exists (
          select from (select * from pattern earlier where earlier.form < probe.form) pattern where ${MATCHES}
        )
      )
    limit $3
  ) counted`)

/** Counts the matching entries, up to `limit`. */
export async function countByGrams(
  db: Reads,
  patterns: Pattern[],
  probes: LevelProbe[],
  limit: number,
) {
  const parameters = [JSON.stringify(patterns), JSON.stringify(probes), limit] as const
  const row = await queryRow(db, COUNT, parameters)
  return row?.total ?? 0
}
