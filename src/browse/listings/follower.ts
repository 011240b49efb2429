import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import type { DueTask } from '../../db/upkeep/due-tasks.ts'
import { startPeriodicTask, UNTIL_WOKEN } from '../../kernel/async/periodic-task.ts'
import {
  findDueListings,
  followChanges,
  followSums,
  followTotals,
  LISTINGS_DUE,
} from './follow-queries.ts'

/**
 * Has listings follow what imports do not tell them of themselves: changes by other hands, entries that were there before
 * listings were, readers and scores. Any number of processes may, one at a time; where one stops another goes on.
 */
export function startListings(db: Database, log: Logger): DueTask {
  async function pass(stopping: AbortSignal) {
    const due = await findDueListings(db)
    for (const [isDue, follow] of [
      [due.changes, followChanges],
      [due.totals, followTotals],
      // What the others have noted too.
      [due.sums || due.changes || due.totals, followSums],
    ] as const) {
      if (!isDue) continue
      for (;;) {
        const amount = await follow(db)
        if (amount === 0 || stopping.aborted) break
      }
    }
  }

  const task = startPeriodicTask(UNTIL_WOKEN, pass, (err) =>
    log.warn({ err }, 'Lists could not follow the catalog; trying again'),
  )
  return { ...task, isDue: LISTINGS_DUE }
}
