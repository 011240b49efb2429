import { listSummaries } from '../../browse/summary-queries.ts'
import type { EntrySummary } from '../../browse/summary.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import { summarizeHits, type HitKey } from '../../search/hit-summary-queries.ts'

/** Search result: an entry summary with the subtitle from the search index. */
export type Hit = EntrySummary & { subtitle: string | null }

/** Loads the entries of a search result, in the order of the hits. */
export async function loadHits(db: Reads, keys: HitKey[], seesNsfw: boolean): Promise<Hit[]> {
  const [shown, entries] = await Promise.all([
    summarizeHits(db, keys, seesNsfw),
    listSummaries(db, keys, seesNsfw),
  ])
  return entries.map((entry) => {
    const hit = shown.find(({ kind, id }) => kind === entry.type && id === entry.id)
    // as: the shape the search statement selects
    const { subtitle } = hit
      ? (JSON.parse(hit.hit) as { subtitle: string | null })
      : { subtitle: null }
    return { ...entry, subtitle: hit?.producer_type ?? subtitle }
  })
}
