import type { Logger } from 'pino'
import { startHousekeeping } from './accounts/housekeeping.ts'
import { startListings } from './browse/listings/follower.ts'
import { startSequencer } from './catalog/changes/sequencer.ts'
import type { Database } from './db/database.ts'
import { startTotals } from './ratings/totals/totals.ts'
import { startSearchIndex } from './search/index/search-index.ts'
import { startSimilar } from './similar/similar-task.ts'

export type BackgroundOptions = {
  db: Database
  log: Logger
  /** Called when other names may be frequent than before. */
  onNamesChange: () => void
}

/**
 * Starts the periodic tasks that one process does for all. Each is safe in any number of processes; several would only ask
 * the database the same questions more often (decision 0021).
 *
 * @returns stops them, each after the run under way
 */
export function startBackground({ db, log, onNamesChange }: BackgroundOptions): () => Promise<void> {
  const tasks = [
    startSequencer(db, log),
    startListings(db, log),
    startSearchIndex(db, log, onNamesChange),
    startHousekeeping(db, log),
    startTotals(db, log),
    startSimilar(db, log),
  ]
  return async () => {
    await Promise.all(tasks.map((task) => task.stop()))
  }
}
