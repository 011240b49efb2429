import { listSummaries } from '../../browse/summary-queries.ts'
import type { EntrySummary } from '../../browse/summary.ts'
import type { Database } from '../../db/database.ts'
import { summarizeHits, type HitKey } from '../../search/hit-summary-queries.ts'

/** An entry that was found: as lists show it, with what search says below its name. */
export type Hit = EntrySummary & { subtitle: string | null }

/** The entries of a result, in its order. */
export async function showFound(db: Database, keys: HitKey[], seesNsfw: boolean): Promise<Hit[]> {
  const [shown, entries] = await Promise.all([
    summarizeHits(db, keys, seesNsfw),
    listSummaries(db, keys, seesNsfw),
  ])
  return entries.map((entry) => {
    const hit = shown.find(({ kind, id }) => kind === entry.type && id === entry.id)
    // as: what the statement of search has made
    const { subtitle } = hit
      ? (JSON.parse(hit.hit) as { subtitle: string | null })
      : { subtitle: null }
    return { ...entry, subtitle: hit?.producer_type ?? subtitle }
  })
}
