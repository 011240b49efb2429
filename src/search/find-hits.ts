import type { Database } from '../db/database.ts'
import { countByGrams, findByGrams, walkBuckets, type BucketProbe, type Found } from './hit-queries.ts'
import type { Frequencies } from './index/frequencies-queries.ts'
import { firstBucketKey } from './index/gram-keys.ts'
import { gramsByLevel, isOfFewKana, keysIn, LEVEL, patternOf, type GramsByLevel } from './probes.ts'
import type { NameForm } from './text/forms.ts'

/** Totals are exact up to here; more are not counted. */
export const MAX_TOTAL = 1_000
/** An entry counts once for each form. */
const MAX_CANDIDATES = 300

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

/**
 * The entries whose names answer a query, best first: by level, then by readers, then by id. Where few can answer, all of
 * them are compared; else they are looked for level by level until there are enough. The way changes nothing of what is found.
 */
export async function findHits(
  db: Database,
  frequencies: Frequencies,
  { forms, sections, limit, groups, counted, budget = MAX_CANDIDATES }: Search,
): Promise<{ found: Found[]; total: number }> {
  const isShortKana = isOfFewKana(forms)
  const grams = forms.map((form) => gramsByLevel(form, isShortKana))
  const patterns = forms.map((form, index) => patternOf(form, (grams[index]?.contained.length ?? 0) > 0))
  /** The probes of a section, and about how many candidates they have, at most. */
  const ask = (section: number, listsOf: (byLevel: GramsByLevel) => string[][]): Part => {
    const asked = grams.flatMap((byLevel, form) =>
      listsOf(byLevel)
        // Every entry has all grams of an empty list.
        .filter((list) => list.length > 0)
        .map((list) => ({ section, form, ...keysIn(section, list, frequencies) })),
    )
    return {
      section,
      probes: asked.map(({ form, keys }) => ({
        section,
        form,
        keys,
        first_bucket: firstBucketKey(section),
        section_group: groups[section] ?? 0,
      })),
      size: asked.reduce((sum, { size }) => sum + size, 0),
      isKnown: asked.every(({ keys }) => keys.length === 1),
    }
  }
  const options = { patterns, limit, groups }
  const whole = sections
    .map((section) =>
      ask(section, ({ contained, prefix, words }) => (contained.length > 0 ? [contained] : [prefix, words])),
    )
    .toSorted((a, b) => a.size - b.size)
  const { small, large: known } = splitBySize(whole, budget)
  const all = [LEVEL.title, LEVEL.contained] as const
  const direct = await findByGrams(db, {
    ...options,
    probes: probesOf(small),
    budget,
    levels: all,
  })
  const large = [...small.filter(({ section }) => direct.large.includes(section)), ...known]
  const found = [...direct.found]

  const uncounted = MAX_TOTAL - direct.total
  const isCounted = !counted || large.length === 0 || uncounted <= 0
  // While the best of them are looked for.
  const counting = isCounted ? Promise.resolve(0) : countByGrams(db, patterns, probesOf(large), uncounted)
  counting.catch(() => {})

  for (const { name, from, to } of STEPS) {
    const open = large.map(({ section }) => section).filter((section) => !isFull(section, from))
    if (open.length === 0) break
    const parts = open.map((section) => ask(section, (byLevel) => [byLevel[name]]))
    const split = splitBySize(parts, budget)
    const few = await findByGrams(db, {
      ...options,
      probes: probesOf(split.small),
      budget,
      levels: [from, to],
    })
    found.push(...few.found)
    const many = [...split.large, ...split.small.filter(({ section }) => few.large.includes(section))]
    for (let level: number = from; level <= to; level += 1) {
      const probes = probesOf(many.filter(({ section }) => !isFull(section, level)))
      if (probes.length > 0) found.push(...(await walkBuckets(db, { patterns, probes, level, limit })))
    }
  }

  const total = Math.min(MAX_TOTAL, direct.total + (await counting))
  return { found: firstOfGroups(found, groups, limit), total }

  /** Whether better levels have given the group of a section all it may have. */
  function isFull(section: number, level: number) {
    return found.filter((hit) => groups[hit.section] === groups[section] && hit.level < level).length >= limit
  }
}

type Part = { section: number; probes: BucketProbe[]; size: number; isKnown: boolean }

const probesOf = (parts: Part[]) => parts.flatMap(({ probes }) => probes)

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

function firstOfGroups(hits: Found[], groups: number[], limit: number): Found[] {
  const counts = new Map<number | undefined, number>()
  return hits.toSorted(inOrder).filter(({ section }) => {
    const group = groups[section]
    counts.set(group, (counts.get(group) ?? 0) + 1)
    return (counts.get(group) ?? 0) <= limit
  })
}

const inOrder = (a: Found, b: Found) =>
  a.level - b.level || b.readers - a.readers || a.id - b.id || a.section - b.section
