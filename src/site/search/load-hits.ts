import { listSummaries } from '../../browse/summary-queries.ts'
import type { EntrySummary } from '../../browse/summary.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import { findTopWorks, summarizeHits, type HitKey } from '../../search/hit-summary-queries.ts'

/** Search result: an entry summary with the subtitle from the search index. */
export type Hit = EntrySummary & {
  subtitle: string | null
  /** Most popular work of a character. */
  work?: EntrySummary | undefined
}

/** Loads the entries of a search result, in the order of the hits. */
export async function loadHits(db: Reads, keys: HitKey[], seesNsfw: boolean): Promise<Hit[]> {
  const characters = keys.flatMap(({ kind, id }) => (kind === 'character' ? [id] : []))
  const [shown, entries, works] = await Promise.all([
    summarizeHits(db, keys, seesNsfw),
    listSummaries(db, keys, seesNsfw),
    findTopWorks(db, characters, seesNsfw),
  ])
  const named = await listSummaries(db, [...works.values()], seesNsfw)
  return entries.map((entry) => {
    const hit = shown.find(({ kind, id }) => kind === entry.type && id === entry.id)
    // as: the shape the search statement selects
    const { subtitle } = hit
      ? (JSON.parse(hit.hit) as { subtitle: string | null })
      : { subtitle: null }
    const top = entry.type === 'character' ? works.get(entry.id) : undefined
    const work = named.find(({ type, id }) => type === top?.kind && id === top.id)
    return { ...entry, subtitle: hit?.producer_type ?? subtitle, work }
  })
}
