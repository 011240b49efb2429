import { listLoadedSources } from '../catalog/attribution/queries.ts'
import type { Database } from '../db/database.ts'
import type { Signals } from '../db/upkeep/signals.ts'
import type { FooterSource } from '../ui/page/site.ts'
import { SOURCE_NAMES, SOURCES } from '../sources/registry.ts'

/**
 * Caches the loaded sources, as `GET attribution` lists them, and reloads them when the catalog changes.
 */
export async function watchSources(
  db: Database,
  signals: Signals,
): Promise<() => readonly FooterSource[]> {
  let sources: FooterSource[] = []
  async function read() {
    const loaded = await listLoadedSources(db, SOURCE_NAMES)
    sources = SOURCE_NAMES.flatMap((known) =>
      loaded
        .filter(({ source }) => source === known)
        .map(({ dump_date }) => ({ ...SOURCES[known].attribution, date: dump_date })),
    )
  }
  signals.on('catalog', read)
  await read()
  return () => sources
}
