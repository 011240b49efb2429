import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import type { DueTask } from '../../db/upkeep/due-tasks.ts'
import { startPeriodicTask, UNTIL_WOKEN } from '../../kernel/async/periodic-task.ts'
import { findDueIndex, followChangedNames, followListings, INDEX_DUE } from './follow-queries.ts'
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

/**
 * Has the index follow what imports do not tell it of themselves: changes by other hands, entries that were there before it
 * was, readers. Any number of processes may do so, one at a time; where one stops another goes on.
 */
export function startSearchIndex(db: Database, log: Logger): DueTask {
  async function pass(stopping: AbortSignal) {
    const due = await findDueIndex(db)
    for (const [isDue, follow] of [
      [due.changes, followChangedNames],
      [due.rebuild, rebuildNext],
      [due.readers, followListings],
    ] as const) {
      if (!isDue) continue
      for (;;) {
        const amount = await follow(db)
        if (amount === 0 || stopping.aborted) break
      }
    }
  }

  const task = startPeriodicTask(UNTIL_WOKEN, pass, (err) =>
    log.warn({ err }, 'The index of names could not follow the catalog; trying again'),
  )
  return { ...task, isDue: INDEX_DUE }
}
