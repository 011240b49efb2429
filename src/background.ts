import type { Logger } from 'pino'
import { startListings } from './browse/listings/follow-queries.ts'
import { startSequencer } from './catalog/changes/sequencer.ts'
import { startAutovacuum } from './db/upkeep/autovacuum.ts'
import type { Database, OpenDatabase } from './db/database.ts'
import { wakeWhenDue } from './db/upkeep/due-tasks.ts'
import type { Config } from './config/config.ts'
import { startTotals } from './ratings/totals/totals.ts'
import { startSearchIndex } from './search/index/search-index.ts'
import { startHousekeeping } from './retention/housekeeping.ts'
import { startUploadTask } from './uploads/upload-task.ts'
import type { UploadBucket } from './uploads/upload-bucket.ts'
import { startSimilar } from './similar/similar-task.ts'

/**
 * Interval between checks, in milliseconds. Together with the poll interval in `db/upkeep/signals.ts`, it determines
 * how soon all users see a new rating.
 */
const CHECK_INTERVAL_MS = 250

export type BackgroundOptions = {
  db: Database
  log: Logger
  retention: Config['retention']
  /** Undefined if no bucket is configured. */
  uploadBucket?: UploadBucket | undefined
} & Pick<OpenDatabase, 'engine' | 'isBusy'>

/**
 * Starts the periodic tasks that one process runs for all. Each is safe in any number of processes; several would only
 * repeat the same queries (decision 0021).
 *
 * @returns a function that stops them after their current run
 */
export function startBackground({
  db,
  engine,
  isBusy,
  log,
  retention,
  uploadBucket,
}: BackgroundOptions): () => Promise<void> {
  const tasks = {
    sequencer: startSequencer(db, log),
    totals: startTotals(db, log),
    listings: startListings(db, log),
    search: startSearchIndex(db, log),
    similar: startSimilar(db, log),
  }
  const stopChecks = wakeWhenDue(db, tasks, CHECK_INTERVAL_MS, (err) =>
    log.warn({ err }, 'Finding due background tasks failed; retrying'),
  )
  const housekeeping = startHousekeeping(db, log, retention)
  const uploads = uploadBucket ? [startUploadTask(db, uploadBucket, log)] : []
  // A PostgreSQL server has its own autovacuum.
  const autovacuum =
    engine === 'embedded'
      ? [startAutovacuum(db, (err) => log.warn({ err }, 'Vacuuming failed; retrying'), { isBusy })]
      : []
  return async () => {
    await stopChecks()
    await Promise.all(
      [...Object.values(tasks), housekeeping, ...uploads, ...autovacuum].map((task) => task.stop()),
    )
  }
}
