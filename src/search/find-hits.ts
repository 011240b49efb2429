import type { Database } from '../db/database.ts'
import {
  countByGrams,
  findByGrams,
  walkBuckets,
  type BucketProbe,
  type FindResult,
  type Found,
  type LevelProbe,
} from './hit-queries.ts'
import type { Frequencies } from './index/frequencies-queries.ts'
import { firstBucketKey } from './index/gram-keys.ts'
import { gramsByLevel, isOfFewKana, keysIn, LEVEL, patternOf, type GramsByLevel } from './probes.ts'
import type { NameForm } from './text/forms.ts'
import { MAX_EXACT_TOTAL } from '../http/wire/requests/paging.ts'

/** Candidates that are compared one by one at most; an entry counts once for each form. */
const MAX_CANDIDATES = 300
/** The same where all that may answer are no more than these, and would be looked at to be counted anyway. */
const MAX_COUNTED_CANDIDATES = 1_200

export type Search = {
  forms: NameForm[]
  sections: number[]
  /** Hits of each group. */
  limit: number
  /** Sections that are answered together, by their numbers. */
  groups: number[]
  /** Whether the total is wanted. */
  counted: boolean
  /** Candidates that are compared one by one; where there are more, other ways look at fewer. */
  budget?: number
}

const STEPS = [
  { name: 'equal', from: LEVEL.title, to: LEVEL.name },
  { name: 'prefix', from: LEVEL.prefix, to: LEVEL.prefix },
  { name: 'words', from: LEVEL.words, to: LEVEL.words },
  { name: 'contained', from: LEVEL.contained, to: LEVEL.contained },
] as const
const ALL = { from: LEVEL.title, to: LEVEL.contained }

/**
 * The entries whose names answer a query, best first: by level, then by readers, then by id. Where few can answer, all of
 * them are compared; else they are looked for level by level until there are enough. The way changes nothing of what is found.
 */
export async function findHits(
  db: Database,
  frequencies: Frequencies,
  { forms, sections, limit, groups, counted, budget }: Search,
): Promise<{ found: Found[]; total: number }> {
  const isShortKana = isOfFewKana(forms)
  const grams = forms.map((form) => gramsByLevel(form, isShortKana))
  const patterns = forms.map((form, index) =>
    patternOf(form, (grams[index]?.contained.length ?? 0) > 0),
  )
  /** The probes of a section, and about how many candidates they have, at most. */
  const ask = (section: number, listsOf: (of: GramsByLevel) => Asked[]): Part => {
    const asked = grams.flatMap((byLevel, form) =>
      listsOf(byLevel)
        // Every entry has all grams of an empty list.
        .filter(({ list }) => list.length > 0)
        .map(({ list, ...levels }) => ({ form, ...levels, ...keysIn(section, list, frequencies) })),
    )
    return {
      section,
      probes: asked.map(({ form, keys, level, from, to }) => ({
        section,
        form,
        keys,
        level,
        from_level: from,
        to_level: to,
        first_bucket: firstBucketKey(section),
        section_group: groups[section] ?? 0,
      })),
      size: asked.reduce((sum, { size }) => sum + size, 0),
      isKnown: asked.every(({ keys }) => keys.length === 1),
    }
  }
  const hits = new Map<string, Found>()

  const whole = sections
    .map((section) =>
      ask(section, ({ contained, prefix, words }) =>
        contained.length > 0
          ? [{ list: contained, level: LEVEL.contained, ...ALL }]
          : [
              { list: prefix, level: LEVEL.prefix, ...ALL },
              { list: words, level: LEVEL.words, ...ALL },
            ],
      ),
    )
    .toSorted((a, b) => a.size - b.size)
  const mostOfAll = whole.reduce((sum, { size }) => sum + size, 0)
  const wholeBudget =
    budget ??
    (counted && mostOfAll < MAX_COUNTED_CANDIDATES ? MAX_COUNTED_CANDIDATES : MAX_CANDIDATES)
  const { small, large: known } = splitBySize(whole, wholeBudget)
  const direct = await findByGrams(db, { patterns, probes: probesOf(small), budget: wholeBudget })
  keep(direct.found)
  const large = [...small.filter(({ section }) => isUndone(direct, section, ALL.from)), ...known]
  if (large.length === 0)
    return {
      found: firstOfGroups(hits, groups, limit),
      total: Math.min(MAX_EXACT_TOTAL, direct.total),
    }

  const isCounted = !counted || direct.seen >= MAX_EXACT_TOTAL
  // While the best of them are looked for.
  const counting = isCounted
    ? Promise.resolve(direct.seen)
    : countByGrams(db, patterns, probesOf(large), MAX_EXACT_TOTAL - direct.total).then(
        (count) => direct.total + count,
      )
  counting.catch(() => {})

  const steps = STEPS.map(({ name, from, to }) => ({
    from,
    to,
    parts: large.map(({ section }) =>
      ask(section, (byLevel) => [{ list: byLevel[name], level: to, from, to }]),
    ),
  }))
  // What is better than containing is rarely frequent.
  const better = splitBySize(
    steps.slice(0, -1).flatMap(({ parts }) => parts),
    budget ?? MAX_CANDIDATES,
  )
  const few = await findByGrams(db, {
    patterns,
    probes: probesOf(better.small),
    budget: budget ?? MAX_CANDIDATES,
  })
  keep(few.found)
  for (const { from, to, parts } of steps) {
    const many = parts.filter(
      (part) => !better.small.includes(part) || isUndone(few, part.section, from),
    )
    for (let level: number = from; level <= to; level += 1) {
      const probes = probesOf(many.filter(({ section }) => !isFull(section, level)))
      if (probes.length > 0) keep(await walkBuckets(db, { patterns, probes, level, limit }))
    }
  }
  return {
    found: firstOfGroups(hits, groups, limit),
    total: Math.min(MAX_EXACT_TOTAL, await counting),
  }

  /** An entry that answers in one form better than in another may be found at both levels. */
  function keep(found: Found[]) {
    for (const hit of found) {
      const key = `${hit.section} ${hit.id}`
      const other = hits.get(key)
      if (!other || hit.level < other.level) hits.set(key, hit)
    }
  }

  /** Whether better levels have given the group of a section all it may have. */
  function isFull(section: number, level: number) {
    let better = 0
    for (const hit of hits.values())
      if (groups[hit.section] === groups[section] && hit.level < level) better += 1
    return better >= limit
  }
}

/** Grams that every match of a level has, or of a better one; what they find is wanted from one level to another. */
type Asked = { list: string[]; level: number; from: number; to: number }

/** What a section is asked. */
type Part = {
  section: number
  probes: (BucketProbe & LevelProbe)[]
  size: number
  isKnown: boolean
}

const probesOf = (parts: Part[]) => parts.flatMap(({ probes }) => probes)

/** Whether the probes of a section for the levels from one on were not reached. */
const isUndone = ({ undone }: FindResult, section: number, from: number) =>
  undone.some(([of, level]) => of === section && level === from)

/** Those whose candidates are few together, as far as is known beforehand: of several grams only looking tells. */
function splitBySize(parts: Part[], budget: number): { small: Part[]; large: Part[] } {
  let sum = 0
  const isSmall = parts.map(({ size, isKnown }) => {
    if (isKnown) sum += size
    return !isKnown || sum < budget
  })
  return {
    small: parts.filter((_, index) => isSmall[index]),
    large: parts.filter((_, index) => !isSmall[index]),
  }
}

function firstOfGroups(hits: Map<string, Found>, groups: number[], limit: number): Found[] {
  const counts = new Map<number | undefined, number>()
  return [...hits.values()].toSorted(inOrder).filter(({ section }) => {
    const group = groups[section]
    counts.set(group, (counts.get(group) ?? 0) + 1)
    return (counts.get(group) ?? 0) <= limit
  })
}

const inOrder = (a: Found, b: Found) =>
  a.level - b.level || b.readers - a.readers || a.id - b.id || a.section - b.section
