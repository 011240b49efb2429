import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import type { DueTask } from '../../db/upkeep/due-tasks.ts'
import { startPeriodicTask, UNTIL_WOKEN } from '../../kernel/async/periodic-task.ts'
import { CHANGES_DUE, findSnapshotOfDue, MAX_NOTES, numberChanges } from './sequencer-queries.ts'

/**
 * Minimum age of a change, in milliseconds, before it is published. By then every process has invalidated its cached
 * responses (db/upkeep/signals.ts). Otherwise a follower that reads an entry at once could receive the stale version
 * and keep it forever.
 */
const SETTLED_MS = 1_000

/**
 * Gives numbers to the changes of the catalog, so that followers see them, until it is stopped. Any number of processes
 * may do so at the same time; what one leaves behind, another takes up.
 */
export function startSequencer(db: Database, log: Logger): DueTask {
  /** Where the database stood at recent looks, oldest first. */
  let looks: { snapshot: string; at: number }[] = []
  let more = false

  async function pass() {
    more = false
    const settled = looks.findLast(({ at }) => performance.now() - at >= SETTLED_MS)
    if (settled) {
      const notes = await numberChanges(db, settled.snapshot)
      more = notes === MAX_NOTES
      if (more) return
      looks = looks.filter(({ at }) => at > settled.at)
    }
    const snapshot = await findSnapshotOfDue(db)
    if (snapshot !== undefined) looks.push({ snapshot, at: performance.now() })
  }

  const task = startPeriodicTask(
    () => (more ? 0 : UNTIL_WOKEN),
    pass,
    (err) => log.warn({ err }, 'Changes of the catalog could not be numbered; trying again'),
  )
  return { ...task, isDue: CHANGES_DUE }
}
