import type { Reads } from '../db/replicas/reads.ts'
import {
  countByGrams,
  findByGrams,
  isUnreached,
  walkBuckets,
  type BucketProbe,
  type FoundHit,
  type LevelProbe,
} from './hit-queries.ts'
import type { Frequencies } from './index/frequencies-queries.ts'
import { firstBucketKey } from './index/gram-keys.ts'
import {
  gramsByLevel,
  areShortKana,
  rarestKeys,
  LEVEL,
  patternOf,
  type GramsByLevel,
} from './probes.ts'
import type { NameForm } from './text/forms.ts'
import { MAX_EXACT_TOTAL } from '../http/wire/requests/paging.ts'

/** Maximum number of candidates compared individually. An entry counts once for each form. */
const MAX_CANDIDATES = 300
/**
 * Maximum number of candidates compared individually if the search requests a total, because counting would read all
 * of them anyway.
 */
const MAX_COUNTED_CANDIDATES = 1_200

export type Search = {
  forms: NameForm[]
  sections: number[]
  /** Maximum number of hits per group. */
  limit: number
  /** Group of each section, keyed by section number. The limit applies to each group. */
  groups: number[]
  /** Whether to compute the total. */
  counted: boolean
  /**
   * Maximum number of candidates compared individually. Larger sets are searched level by level, which reads fewer
   * rows.
   */
  budget?: number
}

const LEVEL_STEPS = [
  { name: 'equal', from: LEVEL.title, to: LEVEL.name },
  { name: 'prefix', from: LEVEL.prefix, to: LEVEL.prefix },
  { name: 'words', from: LEVEL.words, to: LEVEL.words },
  { name: 'contained', from: LEVEL.contained, to: LEVEL.contained },
] as const
const ALL_LEVELS = { from: LEVEL.title, to: LEVEL.contained }

/**
 * Finds the entries whose names match a query, best first: by level, then number of users, then id.
 *
 * If few entries can match, all of them are compared. Otherwise, the search goes level by level until it has enough
 * hits. Both methods find the same hits.
 */
export async function findHits(
  db: Reads,
  frequencies: Frequencies,
  { forms, sections, limit, groups, counted, budget }: Search,
): Promise<{ found: FoundHit[]; total: number }> {
  const isShortKana = areShortKana(forms)
  const grams = forms.map((form) => gramsByLevel(form, isShortKana))
  const patterns = forms.map((form, index) =>
    patternOf(form, (grams[index]?.contained.length ?? 0) > 0),
  )
  /** Returns the probes of a section with an upper bound on the number of their candidates. */
  const probeSection = (
    section: number,
    listsOf: (of: GramsByLevel) => GramList[],
  ): SectionProbes => {
    const requested = grams.flatMap((byLevel, form) =>
      listsOf(byLevel)
        // An empty list of grams would match every entry.
        .filter(({ list }) => list.length > 0)
        .map(({ list, ...levels }) => ({
          form,
          ...levels,
          ...rarestKeys(section, list, frequencies),
        })),
    )
    return {
      section,
      probes: requested.map(({ form, keys, level, from, to }) => ({
        section,
        form,
        keys,
        level,
        from_level: from,
        to_level: to,
        first_bucket: firstBucketKey(section),
        section_group: groups[section] ?? 0,
      })),
      size: requested.reduce((sum, { size }) => sum + size, 0),
      isSizeKnown: requested.every(({ keys }) => keys.length === 1),
    }
  }
  const hits = new Map<string, FoundHit>()

  const whole = sections
    .map((section) =>
      probeSection(section, ({ contained, prefix, words }) =>
        contained.length > 0
          ? [{ list: contained, level: LEVEL.contained, ...ALL_LEVELS }]
          : [
              { list: prefix, level: LEVEL.prefix, ...ALL_LEVELS },
              { list: words, level: LEVEL.words, ...ALL_LEVELS },
            ],
      ),
    )
    .toSorted((a, b) => a.size - b.size)
  const maxCandidates = whole.reduce((sum, { size }) => sum + size, 0)
  const wholeBudget =
    budget ??
    (counted && maxCandidates < MAX_COUNTED_CANDIDATES ? MAX_COUNTED_CANDIDATES : MAX_CANDIDATES)
  const { small, large: known } = splitBySize(whole, wholeBudget)
  const direct = await findByGrams(db, { patterns, probes: probesOf(small), budget: wholeBudget })
  addHits(direct.found)
  const large = [
    ...small.filter(({ section }) => isUnreached(direct.unreached, section, ALL_LEVELS.from)),
    ...known,
  ]
  if (large.length === 0)
    return {
      found: firstPerGroup(hits, groups, limit),
      total: Math.min(MAX_EXACT_TOTAL, direct.total),
    }

  const needsNoCount = !counted || direct.matched >= MAX_EXACT_TOTAL
  // Counting runs concurrently with finding the best hits.
  const counting = needsNoCount
    ? Promise.resolve(direct.matched)
    : countByGrams(db, patterns, probesOf(large), MAX_EXACT_TOTAL - direct.total).then(
        (count) => direct.total + count,
      )
  counting.catch(() => {})

  const steps = LEVEL_STEPS.map(({ name, from, to }) => ({
    from,
    to,
    parts: large.map(({ section }) =>
      probeSection(section, (byLevel) => [{ list: byLevel[name], level: to, from, to }]),
    ),
  }))
  // Few entries match at a better level than "contained".
  const better = splitBySize(
    steps.slice(0, -1).flatMap(({ parts }) => parts),
    budget ?? MAX_CANDIDATES,
  )
  const few = await findByGrams(db, {
    patterns,
    probes: probesOf(better.small),
    budget: budget ?? MAX_CANDIDATES,
  })
  addHits(few.found)
  for (const { from, to, parts } of steps) {
    const many = parts.filter(
      (part) => !better.small.includes(part) || isUnreached(few.unreached, part.section, from),
    )
    for (let level: number = from; level <= to; level += 1) {
      const probes = probesOf(many.filter(({ section }) => !isFull(section, level)))
      if (probes.length > 0) addHits(await walkBuckets(db, { patterns, probes, level, limit }))
    }
  }
  return {
    found: firstPerGroup(hits, groups, limit),
    total: Math.min(MAX_EXACT_TOTAL, await counting),
  }

  /** Merges hits. An entry that matches in several forms keeps its best level. */
  function addHits(found: FoundHit[]) {
    for (const hit of found) {
      const key = `${hit.section} ${hit.id}`
      const other = hits.get(key)
      if (!other || hit.level < other.level) hits.set(key, hit)
    }
  }

  /** Returns whether hits at better levels already reach the limit of the section's group. */
  function isFull(section: number, level: number) {
    let better = 0
    for (const hit of hits.values())
      if (groups[hit.section] === groups[section] && hit.level < level) better += 1
    return better >= limit
  }
}

/** Grams contained in every match at a level or a better one. Matches are attributed to the levels `from` to `to`. */
type GramList = { list: string[]; level: number; from: number; to: number }

/** Probes of one section, with an estimate of their candidates. */
type SectionProbes = {
  section: number
  probes: (BucketProbe & LevelProbe)[]
  size: number
  isSizeKnown: boolean
}

const probesOf = (parts: SectionProbes[]) => parts.flatMap(({ probes }) => probes)

/**
 * Splits off the sections that fit into the budget together. Sections probed by several grams count as small, because
 * the number of their candidates is unknown.
 */
function splitBySize(
  parts: SectionProbes[],
  budget: number,
): { small: SectionProbes[]; large: SectionProbes[] } {
  let sum = 0
  const isSmall = parts.map(({ size, isSizeKnown }) => {
    if (isSizeKnown) sum += size
    return !isSizeKnown || sum < budget
  })
  return {
    small: parts.filter((_, index) => isSmall[index]),
    large: parts.filter((_, index) => !isSmall[index]),
  }
}

function firstPerGroup(hits: Map<string, FoundHit>, groups: number[], limit: number): FoundHit[] {
  const counts = new Map<number | undefined, number>()
  return [...hits.values()].toSorted(byRank).filter(({ section }) => {
    const group = groups[section]
    counts.set(group, (counts.get(group) ?? 0) + 1)
    return (counts.get(group) ?? 0) <= limit
  })
}

const byRank = (a: FoundHit, b: FoundHit) =>
  a.level - b.level || b.readers - a.readers || a.id - b.id || a.section - b.section
