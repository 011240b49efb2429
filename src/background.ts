import type { Logger } from 'pino'
import { startHousekeeping } from './accounts/housekeeping.ts'
import { startListings } from './browse/listings/follower.ts'
import { startSequencer } from './catalog/changes/sequencer.ts'
import { startAutovacuum } from './db/upkeep/autovacuum.ts'
import type { Database, OpenDatabase } from './db/database.ts'
import { wakeWhenDue } from './db/upkeep/due-tasks.ts'
import { startTotals } from './ratings/totals/totals.ts'
import { startSearchIndex } from './search/index/search-index.ts'
import { startSimilar } from './similar/similar-task.ts'

/**
 * Interval between checks, in milliseconds. Together with the poll of `db/upkeep/signals.ts`, it determines when
 * everyone sees a new rating.
 */
const LOOK_MS = 250

export type BackgroundOptions = { db: Database; log: Logger; engine: OpenDatabase['engine'] }

/**
 * Starts the periodic tasks that one process does for all. Each is safe in any number of processes; several would only ask
 * the database the same questions more often (decision 0021).
 *
 * @returns stops them, each after the run under way
 */
export function startBackground({ db, engine, log }: BackgroundOptions): () => Promise<void> {
  const tasks = {
    sequencer: startSequencer(db, log),
    totals: startTotals(db, log),
    listings: startListings(db, log),
    search: startSearchIndex(db, log),
    similar: startSimilar(db, log),
  }
  const stopLooks = wakeWhenDue(db, tasks, LOOK_MS, (err) =>
    log.warn({ err }, 'What is due behind requests could not be looked for; trying again'),
  )
  const housekeeping = startHousekeeping(db, log)
  // A PostgreSQL server has its own autovacuum.
  const autovacuum =
    engine === 'embedded'
      ? [
          startAutovacuum(db, (err) =>
            log.warn({ err }, 'Space of deleted rows could not be given back; trying again'),
          ),
        ]
      : []
  return async () => {
    await stopLooks()
    await Promise.all(
      [...Object.values(tasks), housekeeping, ...autovacuum].map((task) => task.stop()),
    )
  }
}
