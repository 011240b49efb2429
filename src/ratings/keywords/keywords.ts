import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { STOP_WORDS } from './stop-words.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import { findReviewsVersion, listReviewTexts } from './queries.ts'

export type Keyword = { keyword: string; count: number }

const MAX_KEYWORDS = 50
/** Minimum number of reviews that use a keyword, so that no keyword reveals a single review. */
const MIN_REVIEWS = 2
/** Minimum share of a work's reviews that use a keyword, so that a few accounts cannot plant one. */
const MIN_SHARE = 0.03

/**
 * Returns the words used in the largest number of a work's reviews, most frequent first. A word counts once per review.
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

/** Maximum length of a keyword, in UTF-16 code units. */
const MAX_LENGTH = 20
const MIN_LATIN_LENGTH = 3
const MIN_HAN_LENGTH = 2

/** Characters that mark URLs and handles. Parts of these do not describe a work. */
const NOT_PROSE = /:\/\/|@|www\./

const HAN_OR_KATAKANA = /[\p{Script=Han}\p{Script=Katakana}]/u
const LETTERS = /^[\p{L}\p{M}ー'’-]+$/u

// Chinese and Japanese share one dictionary, whatever the locale.
const segmenter = new Intl.Segmenter('zh', { granularity: 'word' })

/** Returns the distinct words of a review that can be keywords, normalized to NFKC and lower case. */
export function wordsOf(text: string): Set<string> {
  const prose = text
    .normalize('NFKC')
    .toLowerCase()
    .split(/\s/)
    .filter((part) => !NOT_PROSE.test(part))
    .join(' ')
  const words = new Set<string>()
  for (const { segment, isWordLike } of segmenter.segment(prose))
    if (isWordLike && canBeKeyword(segment)) words.add(segment)
  return words
}

function canBeKeyword(word: string): boolean {
  if (word.length > MAX_LENGTH || STOP_WORDS.has(word) || !LETTERS.test(word)) return false
  if (/^\p{Script=Hiragana}+$/u.test(word)) return false
  return word.length >= (HAN_OR_KATAKANA.test(word) ? MIN_HAN_LENGTH : MIN_LATIN_LENGTH)
}

/** Maximum number of works with cached keywords. */
const MAX_WORKS = 500

export type FindKeywords = (kind: WorkKind, workId: number) => Promise<Keyword[] | undefined>

/** Caches the keywords of works and recounts them when a review changes. Concurrent requests share one count. */
export function keywordCache(db: Reads): FindKeywords {
  const cached = new LRUCache<number, { version: string; keywords: Promise<Keyword[]> }>({
    max: MAX_WORKS,
  })
  return async (kind, workId) => {
    const version = await findReviewsVersion(db, kind, workId)
    if (version === undefined) return undefined
    const known = cached.get(workId)
    if (known?.version === version) return known.keywords
    const keywords = listReviewTexts(db, workId).then(countKeywords)
    cached.set(workId, { version, keywords })
    keywords.catch(() => cached.delete(workId))
    return keywords
  }
}
