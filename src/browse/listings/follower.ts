import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { startPeriodicTask, type PeriodicTask } from '../../kernel/periodic-task.ts'
import {
  findPendingListings,
  followChanges,
  followSums,
  followTotals,
  vacuumListings,
} from './follow-queries.ts'

/** Milliseconds between two looks. */
const EVERY_MS = 400
/** Rows written, about, after which the tables are vacuumed. */
const VACUUM_AFTER = 20_000

/**
 * Has listings follow what imports do not tell them of themselves: changes by other hands, entries that were there before
 * listings were, readers and scores. Any number of processes may, one at a time; where one stops another goes on.
 */
export function startListings(db: Database, log: Logger): PeriodicTask {
  let written = 0

  async function pass(stopping: AbortSignal) {
    const pending = await findPendingListings(db)
    for (const [isPending, follow] of [
      [pending.changes, followChanges],
      [pending.totals, followTotals],
      // What the others have noted too.
      [pending.sums || pending.changes || pending.totals, followSums],
    ] as const) {
      if (!isPending) continue
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

  return startPeriodicTask(EVERY_MS, pass, (err) =>
    log.warn({ err }, 'Lists could not follow the catalog; trying again'),
  )
}
