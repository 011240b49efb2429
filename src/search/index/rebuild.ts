import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../db/database.ts'
import {
  beginRebuild,
  findProgress,
  isRebuilding,
  rebuildNextBatch,
  type Progress,
} from './rebuild-queries.ts'
import { analyzeIndex, flushPendingGrams } from './write-queries.ts'

/** Delay, in milliseconds, before retrying while another process writes the index. */
const RETRY_MS = 100
/** Interval between progress reports, in milliseconds. Counting the entries of a large catalog takes a while. */
const REPORT_MS = 1_000

/**
 * Rebuilds the whole index row by row while searches continue. Resumes an unfinished rebuild. Several processes may
 * run it at once.
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
    if ((await rebuildNextBatch(db)) === 0) await sleep(RETRY_MS)
  }
  await flushPendingGrams(db)
  await analyzeIndex(db)
  const progress = await findProgress(db)
  onProgress(progress)
  return { was, entries: progress.whole }
}
