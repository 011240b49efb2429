import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import { LEVEL, type Pattern, type Probe } from './probes.ts'

/** An entry that was found, and how well its names answer: a level. */
export type Found = { section: number; id: number; readers: number; level: number }

/** `$1`, one row a form of the query; the limit tells the planner that they are few. */
const PATTERNS = `
  select (ordinality - 1)::integer as form, pattern.*
  from rows from (
    jsonb_to_recordset($1::jsonb) as (
      title text, name text, title_head text, name_head text,
      word text, other_words text[], whole text, part text, other_parts text[]
    )
  ) with ordinality pattern
  limit 8`

const isIn = (text: string, names: string) => `strpos(entry.${names}, pattern.${text}) > 0`

const BEGINS = `(${isIn('title_head', 'names')} or ${isIn('name_head', 'names')})`
const HAS_WORDS = `(${isIn('word', 'words')} and entry.words like all (pattern.other_words))`
/** No word goes on from the names, which end in a mark, to the words, which begin with a space. */
const CONTAINS = `(
  ${isIn('whole', 'names')}
  or (${isIn('part', 'names')} or ${isIn('part', 'words')})
    and (entry.names || entry.words) like all (pattern.other_parts)
)`

/** How well the names of `entry` answer a pattern, best first (`LEVEL`); null: not at all. Each title begins as a prefix does. */
const LEVEL_OF_ENTRY = `
  case
    when ${BEGINS} then
      case when ${isIn('title', 'names')} then 0 when ${isIn('name', 'names')} then 1 else 2 end
    when ${HAS_WORDS} then 3
    when ${CONTAINS} then 4
  end`

/**
 * What the probes find, in their order, until they have had `$3` candidates together: one row a probe that has any, with lists
 * of those that answer. To put them together here would cost the database more than to compare them.
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

/** A probe with the grams of a level; the levels at which what it finds is wanted do not overlap with others of its section. */
export type LevelProbe = Probe & { level: number; from_level: number; to_level: number }

export type FindOptions = {
  patterns: Pattern[]
  probes: LevelProbe[]
  /** Candidates from which on no more are compared. */
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
  /** Sections and first levels of the probes that the budget did not reach. */
  undone: [section: number, fromLevel: number][]
  /** How many the other probes found, and how many answer among all that was compared. */
  total: number
  seen: number
  found: Found[]
}

/** What probes find, as far as the budget reaches; at the levels of a probe only where all of its section for them are done. */
export async function findByGrams(
  db: Database,
  { patterns, probes, budget }: FindOptions,
): Promise<FindResult> {
  if (probes.length === 0) return { undone: [], total: 0, seen: 0, found: [] }
  const rows = await queryRows(db, FIND, [
    JSON.stringify(patterns),
    JSON.stringify(probes.map(({ form, keys }) => ({ form, keys }))),
    budget,
  ])
  const isReached = rows.reduce((sum, { candidates }) => sum + candidates, 0) >= budget
  const undone = probesFrom(
    probes,
    isReached ? Math.max(...rows.map(({ place }) => place)) : Infinity,
  )
  const answering = answersOf(probes, rows)
  const found = answering.filter(({ section, level }) =>
    probes.some(
      (probe) =>
        probe.section === section &&
        probe.from_level <= level &&
        level <= probe.to_level &&
        !isAmong(undone, probe),
    ),
  )
  return { undone, total: found.length, seen: answering.length, found }
}

/** The sections and first levels of the probes from a place on, counted from 1. */
const probesFrom = (probes: LevelProbe[], place: number): [number, number][] =>
  probes.slice(place - 1).map(({ section, from_level }) => [section, from_level])

const isAmong = (undone: [number, number][], { section, from_level }: LevelProbe) =>
  undone.some(([of, level]) => of === section && level === from_level)

/** Each entry that answers once, as well as it does in any form. */
function answersOf(probes: LevelProbe[], rows: FindRow[]): Found[] {
  const best = new Map<number, Map<number, Found>>(
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

/** The numbers of an array as the database writes it. */
const numbersIn = (array: string | null): number[] =>
  // as: it has nothing else in it
  array === null ? [] : (JSON.parse(`[${array.slice(1, -1)}]`) as number[])

/**
 * The first `$4` of level `$3` in each group of sections: the first bucket that has entries, then the next two, the next four
 * and so on, until there are enough. The order of buckets is that of readers and ids, and what is read together is sorted.
 */
const WALK = statement('search.walk').returning<Found>(`
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
  ) hit`)

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
  queryRows(db, WALK, [JSON.stringify(patterns), JSON.stringify(probes), level, limit])

/** What is most often so comes first. */
const ANSWERS = `(${CONTAINS} or ${HAS_WORDS} or ${BEGINS})`

/** An entry that several forms find is counted for the first of them; one that begins with a form and has it as words too, once. */
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
        else ${ANSWERS}
      end
      and (
        pattern.form = 0
        or not exists (
          select from (select * from pattern earlier where earlier.form < probe.form) pattern where ${ANSWERS}
        )
      )
    limit $3
  ) counted`)

/** How many entries answer; from `limit` on any number that is not smaller. */
export async function countByGrams(
  db: Database,
  patterns: Pattern[],
  probes: LevelProbe[],
  limit: number,
) {
  const [row] = await queryRows(db, COUNT, [
    JSON.stringify(patterns),
    JSON.stringify(probes),
    limit,
  ])
  return row?.total ?? 0
}
