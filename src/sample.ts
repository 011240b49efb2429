import { fileURLToPath } from 'node:url'
import { LISTING_STEPS } from './browse/listings/follow-queries.ts'
import { snapshotIfPending, numberChanges } from './catalog/changes/sequencer-queries.ts'
import type { Database } from './db/database.ts'
import { runDueSteps } from './db/upkeep/due-tasks.ts'
import { importSource } from './curation/import-source.ts'
import { DUMP_SOURCES, openSource } from './curation/sources.ts'
import { INDEX_STEPS } from './search/index/search-index.ts'
import { makeSimilarSteps } from './similar/similar-task.ts'
import { SOURCE_NAMES } from './sources/registry.ts'

const SAMPLE = new URL('../sample/', import.meta.url)

/**
 * Folders of the bundled sample: real rows from the sources and a few hand-written ones (NOTICE), in the order in which
 * ids are assigned.
 */
const SAMPLE_FOLDERS = SOURCE_NAMES.flatMap((source) =>
  DUMP_SOURCES[source].samples.map((name) => ({ source, folder: new URL(`${name}/`, SAMPLE) })),
)

/** @param onProgress receives progress messages */
export async function loadSample(db: Database, onProgress: (line: string) => void = () => {}) {
  for (const [index, { source, folder }] of SAMPLE_FOLDERS.entries()) {
    onProgress(`Loading the sample, part ${index + 1} of ${SAMPLE_FOLDERS.length}: ${source}`)
    // Some of the folders hold only a few rows. If several folders have the same id, the last one wins.
    const { records, close } = await openSource(source, fileURLToPath(folder), {
      allowMissing: 'any',
    })
    await importSource(db, source, records, { allowShrink: 'all' }).finally(close)
  }
}

/** Runs the tasks that a service would run in the background after loading the sample. */
export async function followSample(db: Database) {
  for (;;) {
    const snapshot = await snapshotIfPending(db)
    if (snapshot === undefined) break
    await numberChanges(db, snapshot)
  }
  for (const steps of [LISTING_STEPS, INDEX_STEPS, makeSimilarSteps()]) await runDueSteps(db, steps)
}
