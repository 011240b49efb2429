import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../db/database.ts'
import {
  beginRebuild,
  findProgress,
  isRebuilding,
  rebuildNext,
  type Progress,
} from './rebuild-queries.ts'
import { analyzeIndex, sortInGrams } from './write-queries.ts'

/** Milliseconds until it is tried again while another process writes. */
const AGAIN_MS = 100
/** Milliseconds between two reports: to count a large catalog takes a while. */
const REPORT_MS = 1_000

/**
 * Writes the whole index anew, row by row in place, so that searches are answered meanwhile. What another call has begun is
 * gone on with, also by several processes at once.
 */
export async function rebuildIndex(
  db: Database,
  onProgress: (progress: Progress) => void = () => {},
): Promise<{ was: 'begun' | 'resumed'; entries: number }> {
  const was = await beginRebuild(db)
  let reportedAt = -Infinity
  while (await isRebuilding(db)) {
    if (performance.now() - reportedAt >= REPORT_MS) {
      onProgress(await findProgress(db))
      reportedAt = performance.now()
    }
    if ((await rebuildNext(db)) === 0) await sleep(AGAIN_MS)
  }
  await sortInGrams(db)
  await analyzeIndex(db)
  const progress = await findProgress(db)
  onProgress(progress)
  return { was, entries: progress.whole }
}
