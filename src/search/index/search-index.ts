import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { isAbove, startDueSteps, type DueSteps, type DueTask } from '../../db/upkeep/due-tasks.ts'
import { startPeriodicTask } from '../../kernel/async/periodic-task.ts'
import { indexNextChanges, indexReaderCounts, LAST_INDEXED_CHANGE } from './follow-queries.ts'
import { findFrequencies, type Frequencies } from './frequencies-queries.ts'
import { rebuildNextBatch } from './rebuild-queries.ts'

/** Refresh interval of the gram frequencies, in milliseconds. */
const FREQUENCIES_REFRESH_MS = 60_000

/** Gram frequencies, at most one refresh interval old. */
export type SearchFrequencies = { now(): Frequencies; stop(): Promise<void> }

/** Loads the search frequencies now and every minute until stopped. */
export async function watchFrequencies(db: Database, log: Logger): Promise<SearchFrequencies> {
  let frequencies = await findFrequencies(db)
  const { stop } = startPeriodicTask(
    FREQUENCIES_REFRESH_MS,
    async () => {
      frequencies = await findFrequencies(db)
    },
    (err) => log.warn({ err }, 'Could not read gram frequencies; will retry'),
  )
  return { now: () => frequencies, stop }
}

/** Kinds of changes that update the index. */
export const INDEX_STEPS: DueSteps = {
  changes: {
    isDue: isAbove('select max(id) from catalog_changes', LAST_INDEXED_CHANGE),
    run: indexNextChanges,
  },
  rebuild: {
    isDue: `exists (select from search_progress where name = 'rebuild')`,
    run: rebuildNextBatch,
  },
  readers: { isDue: 'exists (select from search_readers_due)', run: indexReaderCounts },
}

/**
 * Starts the task that updates the index after changes other than imports: edits, entries older than the index, and
 * numbers of users. Several processes may run this task; they take turns.
 */
export const startSearchIndex = (db: Database, log: Logger): DueTask =>
  startDueSteps(
    db,
    INDEX_STEPS,
    (err) => log.warn({ err }, 'Could not update the search index; will retry'),
    { name: 'search' },
  )
