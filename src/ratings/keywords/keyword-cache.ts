import { LRUCache } from 'lru-cache'
import type { WorkKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { countKeywords, type Keyword } from './keywords.ts'
import { findReviewsVersion, listReviewTexts } from './queries.ts'

/** Maximum number of works with cached keywords. */
const MAX_WORKS = 500

export type FindKeywords = (kind: WorkKind, workId: number) => Promise<Keyword[] | undefined>

/** Caches the keywords of works and recounts them when a review changes. Concurrent requests share one count. */
export function keywordCache(db: Database): FindKeywords {
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
