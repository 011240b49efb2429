import { setTimeout as sleep } from 'node:timers/promises'
import { listSummaries } from '../../browse/summary-queries.ts'
import { SEARCH_TYPES } from '../../search/schemas.ts'
import { searchEntries, type Searcher } from '../../search/search.ts'
import type { NearEntry, Site } from '../../ui/page/site.ts'
import { entryPath } from '../components/entry-path.ts'
import { shownTitles } from '../components/titles.ts'

const MAX_ENTRIES = 5
/** Time, in milliseconds, after which an error page is sent without suggestions. */
const MAX_WAIT_MS = 1_000

/**
 * Returns the search that error pages use for suggestions.
 *
 * @param mayVisit counts a request from an address; false beyond the rate limit of pages
 */
export function nearestEntries(
  searcher: Searcher,
  mayVisit: (address: string) => Promise<boolean>,
): Site['findNearest'] {
  return async ({ place, uncounted }, viewer, titles) => {
    const seesNsfw = viewer?.nsfw ?? false
    const find = async (): Promise<NearEntry[]> => {
      if (uncounted !== undefined && !(await mayVisit(uncounted))) return []
      const options = { kinds: SEARCH_TYPES, seesNsfw, limit: MAX_ENTRIES, counted: false }
      const { hits } = await searchEntries(searcher, place, options)
      const entries = await listSummaries(searcher.db, hits.slice(0, MAX_ENTRIES), seesNsfw)
      return entries
        .filter(({ nsfw }) => seesNsfw || !nsfw)
        .map((entry) => ({
          href: entryPath(entry.type, entry.id),
          ...shownTitles(titles, entry)[0],
        }))
    }
    // The page explains the error without suggestions if the search fails.
    const found = find().catch(() => [])
    return Promise.race([found, sleep(MAX_WAIT_MS, [], { ref: false })])
  }
}
