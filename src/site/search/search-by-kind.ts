import type { EntryKind } from '../../catalog/kinds.ts'
import { countHiddenMatches } from '../../search/hidden-matches-queries.ts'
import { SEARCH_TYPES } from '../../search/schemas.ts'
import { searchEntries, type Searcher } from '../../search/search.ts'
import { loadHits, type Hit } from './load-hits.ts'
import { MAX_EXACT_TOTAL } from '../../http/wire/requests/paging.ts'

export type SearchResults = {
  hits: Hit[]
  /** Total for the requested kind, or for all kinds; exact below `MAX_EXACT_TOTAL`. */
  total: number
  /** Number of hits of each kind that has any; undefined if there are too many to count. */
  kindTotals: ReadonlyMap<EntryKind, number> | undefined
  /** Number of adult works that the query names and the results leave out. */
  hidden: number
}

export type KindSearchOptions = {
  q: string
  /** Undefined for all kinds. */
  kind: EntryKind | undefined
  seesNsfw: boolean
  offset: number
  limit: number
}

/** Returns one page of search results, with the number of hits of each kind. */
export async function searchByKind(
  searcher: Searcher,
  options: KindSearchOptions,
): Promise<SearchResults> {
  const { q, kind, seesNsfw, offset, limit } = options
  const all = await searchEntries(searcher, q, {
    kinds: SEARCH_TYPES,
    seesNsfw,
    limit: MAX_EXACT_TOTAL,
  })
  const isWhole = all.total < MAX_EXACT_TOTAL
  const amounts = new Map<EntryKind, number>()
  for (const hit of all.hits) amounts.set(hit.kind, (amounts.get(hit.kind) ?? 0) + 1)
  const ofKind = isWhole
    ? all.hits.filter((hit) => kind === undefined || hit.kind === kind)
    : kind === undefined
      ? all.hits
      : (await searchEntries(searcher, q, { kinds: [kind], seesNsfw, limit: MAX_EXACT_TOTAL })).hits
  const [hits, hidden] = await Promise.all([
    loadHits(searcher.db, ofKind.slice(offset, offset + limit), seesNsfw),
    seesNsfw ? 0 : countHiddenMatches(searcher, q, kind === undefined ? SEARCH_TYPES : [kind]),
  ])
  return { hits, total: ofKind.length, kindTotals: isWhole ? amounts : undefined, hidden }
}
