import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import type { DueTask } from '../../db/upkeep/due-tasks.ts'
import { traceTask } from '../../kernel/async/trace-task.ts'
import { startPeriodicTask, UNTIL_WOKEN } from '../../kernel/async/periodic-task.ts'
import {
  HAS_PENDING_CHANGES,
  snapshotIfPending,
  MAX_CHANGES_PER_PASS,
  numberChanges,
} from './sequencer-queries.ts'

/**
 * Minimum age of a change, in milliseconds, before it is published. By then every process has invalidated its cached
 * responses (db/upkeep/signals.ts). Otherwise a follower that reads an entry at once could receive the stale version
 * and keep it forever.
 */
const MIN_CHANGE_AGE_MS = 1_000

/**
 * Assigns ids to pending changes, which makes them visible to followers, until it is stopped. Several processes may
 * run it concurrently; each continues where another stopped.
 */
export function startSequencer(db: Database, log: Logger): DueTask {
  /** Recent database snapshots, oldest first. */
  let snapshots: { snapshot: string; at: number }[] = []
  let hasMore = false

  async function pass() {
    hasMore = false
    const settled = snapshots.findLast(({ at }) => performance.now() - at >= MIN_CHANGE_AGE_MS)
    if (settled) {
      const processed = await numberChanges(db, settled.snapshot)
      hasMore = processed === MAX_CHANGES_PER_PASS
      if (hasMore) return
      snapshots = snapshots.filter(({ at }) => at > settled.at)
    }
    const snapshot = await snapshotIfPending(db)
    if (snapshot !== undefined) snapshots.push({ snapshot, at: performance.now() })
  }

  const task = startPeriodicTask(
    () => (hasMore ? 0 : UNTIL_WOKEN),
    () => traceTask('feed', pass),
    (err) => log.warn({ err }, 'Could not number catalog changes; will retry'),
  )
  return { ...task, isDue: HAS_PENDING_CHANGES }
}
