import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { wordsOf } from './words.ts'

export type Keyword = { keyword: string; count: number }

const MAX_KEYWORDS = 50
/** Minimum number of reviews that use a keyword, so that no keyword reveals a single review. */
const MIN_REVIEWS = 2
/** Minimum share of a work's reviews that use a keyword, so that a few accounts cannot plant one. */
const MIN_SHARE = 0.03

/**
 * Returns the words used in the largest number of a work's reviews, most frequent first. A word
 * counts once per review.
 *
 * @param texts one text per user; identical texts count once
 */
export async function countKeywords(texts: readonly string[]): Promise<Keyword[]> {
  const counts = new Map<string, number>()
  const distinct = new Set(
    texts.map((text) => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()),
  )
  for (const text of distinct) {
    for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1)
    await yieldToOthers()
  }
  const needed = Math.max(MIN_REVIEWS, Math.ceil(distinct.size * MIN_SHARE))
  return [...counts]
    .map(([keyword, count]) => ({ keyword, count }))
    .filter(({ count }) => count >= needed)
    .toSorted((a, b) => b.count - a.count || (a.keyword < b.keyword ? -1 : 1))
    .slice(0, MAX_KEYWORDS)
}
