import type { Database } from '../db/database.ts'
import { countByGrams, findByGrams, walkByReaders, type Found } from './hit-queries.ts'
import { gramsByLevel, LEVEL, patternOf, probesOf } from './probes.ts'
import type { Form } from './text/forms.ts'

const MAX_TOTAL = 1_000
const CAP = 1_001
const VISITS = 20_000
const ALL = 2 ** 31 - 1

export async function findHits(db: Database, forms: Form[], sections: number[], limit: number) {
  const patterns = forms.map(patternOf)
  const grams = forms.map(gramsByLevel)
  const anyProbes = (asked: readonly number[]) =>
    grams.flatMap(({ contained, prefix, words }, form) =>
      contained.length > 0
        ? probesOf(asked, contained, form)
        : [...probesOf(asked, prefix, form), ...probesOf(asked, words, form)],
    )
  const small = await findByGrams(db, { patterns, probes: anyProbes(sections), cap: CAP, levels: [0, 4], limit })
  if (small.large.length === 0) return { found: small.found, total: small.total }
  const { large } = small
  const found = [...small.found]
  const enough = (level: number) => found.filter((hit) => hit.level <= level).length >= limit
  for (const [name, from, to] of [['equal', LEVEL.title, LEVEL.name], ['prefix', LEVEL.prefix, LEVEL.prefix], ['words', LEVEL.words, LEVEL.words], ['contained', LEVEL.contained, LEVEL.contained]] as const) {
    let asked: readonly number[] = large
    if (name !== 'contained') {
      const probes = grams.flatMap((byLevel, form) => probesOf(large, byLevel[name], form))
      const part = await findByGrams(db, { patterns, probes, cap: name === 'equal' ? ALL : CAP, levels: [from, to], limit })
      found.push(...part.found)
      asked = part.large
    }
    if (asked.length > 0) {
      const likes = patterns.flatMap(({ prefix, contained }) => (name === 'prefix' ? prefix : contained.slice(0, 1)))
      const walked = await walkByReaders(db, { patterns, sections: [...asked], level: from, limit, visits: VISITS, likes })
      found.push(...walked)
      for (const section of asked) if (walked.filter((h) => h.section === section).length < limit) stats.short += 1
    }
    if (enough(to)) break
  }
  const total = small.total >= MAX_TOTAL ? MAX_TOTAL : small.total + (await countByGrams(db, patterns, anyProbes(large), MAX_TOTAL - small.total))
  return { found: found.toSorted(inOrder).slice(0, limit), total: Math.min(total, MAX_TOTAL) }
}
export const stats = { short: 0 }
const inOrder = (a: Found, b: Found) => a.level - b.level || b.readers - a.readers || a.id - b.id || a.section - b.section
