import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { isAbove, startDueSteps, type DueSteps, type DueTask } from '../../db/upkeep/due-tasks.ts'
import { startPeriodicTask } from '../../kernel/async/periodic-task.ts'
import { followChangedNames, followListings, LAST_FOLLOWED } from './follow-queries.ts'
import { findFrequencies, type Frequencies } from './frequencies-queries.ts'
import { rebuildNext } from './rebuild-queries.ts'

/** Milliseconds after which what is frequent is read again. */
const FREQUENCIES_MS = 60_000

/** What is frequent among the names of the index, as it was a minute ago at most. */
export type SearchFrequencies = { now(): Frequencies; stop(): Promise<void> }

/** Loads the search frequencies now and every minute until stopped. */
export async function watchFrequencies(db: Database, log: Logger): Promise<SearchFrequencies> {
  let frequencies = await findFrequencies(db)
  const { stop } = startPeriodicTask(
    FREQUENCIES_MS,
    async () => {
      frequencies = await findFrequencies(db)
    },
    (err) => log.warn({ err }, 'What is frequent among names could not be read; trying again'),
  )
  return { now: () => frequencies, stop }
}

/** The events that the index follows. */
export const INDEX_STEPS: DueSteps = {
  changes: {
    isDue: isAbove('select max(id) from catalog_changes', LAST_FOLLOWED),
    run: followChangedNames,
  },
  rebuild: {
    isDue: `exists (select from search_progress where name = 'rebuild')`,
    run: rebuildNext,
  },
  readers: { isDue: 'exists (select from search_readers_due)', run: followListings },
}

/**
 * Starts updating the index after changes that imports do not write to it: edits, entries that are older than the index,
 * and readers. Several processes may run this task; they take turns.
 */
export const startSearchIndex = (db: Database, log: Logger): DueTask =>
  startDueSteps(db, INDEX_STEPS, (err) =>
    log.warn({ err }, 'The index of names could not follow the catalog; trying again'),
  )
