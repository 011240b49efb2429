import type { Logger } from 'pino'
import { startHousekeeping } from './accounts/housekeeping.ts'
import { startListings } from './browse/listings/follower.ts'
import { startSequencer } from './catalog/changes/sequencer.ts'
import type { Database } from './db/database.ts'
import { wakeWhenDue } from './db/due-tasks.ts'
import { startTotals } from './ratings/totals/totals.ts'
import { startSearchIndex } from './search/index/search-index.ts'
import { startSimilar } from './similar/similar-task.ts'

/** Between two looks, in milliseconds; with the poll of `db/signals.ts` it is what a rating takes to be seen by all. */
const LOOK_MS = 250

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
  const tasks = {
    sequencer: startSequencer(db, log),
    totals: startTotals(db, log),
    listings: startListings(db, log),
    search: startSearchIndex(db, log, onNamesChange),
    similar: startSimilar(db, log),
  }
  const stopLooks = wakeWhenDue(db, tasks, LOOK_MS, (err) =>
    log.warn({ err }, 'What is due behind requests could not be looked for; trying again'),
  )
  const housekeeping = startHousekeeping(db, log)
  return async () => {
    await stopLooks()
    await Promise.all([...Object.values(tasks), housekeeping].map((task) => task.stop()))
  }
}
