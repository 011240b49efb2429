import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import type { DueTask } from '../../db/due-tasks.ts'
import { startPeriodicTask, UNTIL_WOKEN } from '../../kernel/periodic-task.ts'
import {
  findDueListings,
  followChanges,
  followSums,
  followTotals,
  LISTINGS_DUE,
  vacuumListings,
} from './follow-queries.ts'

/** Rows written, about, after which the tables are vacuumed. */
const VACUUM_AFTER = 20_000

/**
 * Has listings follow what imports do not tell them of themselves: changes by other hands, entries that were there before
 * listings were, readers and scores. Any number of processes may, one at a time; where one stops another goes on.
 */
export function startListings(db: Database, log: Logger): DueTask {
  let written = 0

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
        written += amount
        if (amount === 0 || stopping.aborted) break
      }
    }
    if (written < VACUUM_AFTER || stopping.aborted) return
    written = 0
    await vacuumListings(db)
  }

  const task = startPeriodicTask(UNTIL_WOKEN, pass, (err) =>
    log.warn({ err }, 'Lists could not follow the catalog; trying again'),
  )
  return { ...task, isDue: LISTINGS_DUE }
}
