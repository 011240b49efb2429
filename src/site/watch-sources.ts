import { listLoadedSources } from '../catalog/attribution/queries.ts'
import type { Database } from '../db/database.ts'
import type { Signals } from '../db/upkeep/signals.ts'
import type { FootSource } from '../ui/page/site.ts'
import { SOURCE_NAMES, SOURCES } from '../sources/registry.ts'

/** The sources whose data are loaded, in memory, as `GET attribution` names them; read again when the catalog has changed. */
export async function watchSources(
  db: Database,
  signals: Signals,
): Promise<() => readonly FootSource[]> {
  let sources: FootSource[] = []
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
