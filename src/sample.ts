import { fileURLToPath } from 'node:url'
import { followChanges } from './browse/listings/follow-queries.ts'
import { findSnapshotOfDue, numberChanges } from './catalog/changes/sequencer-queries.ts'
import type { Database } from './db/database.ts'
import { importSource } from './importers/import-source.ts'
import { openSource } from './importers/sources.ts'
import { similarKeeper } from './similar/similar-task.ts'
import type { SourceName } from './sources/registry.ts'

const SAMPLE = new URL('../sample/', import.meta.url)

/** The bundled sample: real rows of the real sources and a few hand-written ones (NOTICE), in the order in which ids are given. */
const SAMPLE_FOLDERS: { source: SourceName; folder: URL }[] = [
  { source: 'vndb', folder: new URL('vndb/', SAMPLE) },
  { source: 'ranobedb', folder: new URL('ranobedb/', SAMPLE) },
  { source: 'bangumi', folder: new URL('bangumi-archive/', SAMPLE) },
  { source: 'bangumi', folder: new URL('bangumi-rows/', SAMPLE) },
  { source: 'bangumi', folder: new URL('bangumi-known-works/', SAMPLE) },
]

/** @param onProgress is given what happens, line by line */
export async function loadSample(db: Database, onProgress: (line: string) => void = () => {}) {
  for (const [index, { source, folder }] of SAMPLE_FOLDERS.entries()) {
    onProgress(`Loading the sample, part ${index + 1} of ${SAMPLE_FOLDERS.length}: ${source}`)
    // Two of the folders are a few rows by themselves; where an id is in several, the last one counts.
    const { records, close } = await openSource(source, fileURLToPath(folder), { allowMissing: 'any' })
    await importSource(db, source, records, { allowShrink: 'all' }).finally(close)
  }
}

/** Does at once what a service does with what was loaded behind its first requests. */
export async function followSample(db: Database) {
  for (;;) {
    const snapshot = await findSnapshotOfDue(db)
    if (snapshot === undefined) break
    await numberChanges(db, snapshot)
  }
  while ((await followChanges(db)) > 0);
  const keeper = similarKeeper(db)
  while (await keeper.pass());
}
