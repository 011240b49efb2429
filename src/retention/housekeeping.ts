import type { Logger } from 'pino'
import { purgeAccounts } from '../accounts/deletion-queries.ts'
import type { RetentionWindows } from '../config/retention-settings.ts'
import type { Database } from '../db/database.ts'
import { startPeriodicTask, type PeriodicTask } from '../kernel/async/periodic-task.ts'
import { traceTask } from '../kernel/async/trace-task.ts'
import { deleteByAge } from './delete-by-age.ts'
import { startDeletions } from './deletion-clock.ts'

/** Average minutes between runs. Jitter keeps processes from running at the same time. */
const RUN_MINUTES = 10

/**
 * Time, in milliseconds, between deletions by the operator's retention windows, which scan more rows than they delete.
 */
const WINDOWS_EVERY_MS = 24 * 3_600_000

/** Deletes expired rows and due accounts periodically until it is stopped. */
export function startHousekeeping(
  db: Database,
  log: Pick<Logger, 'info' | 'warn'>,
  windows: RetentionWindows,
): PeriodicTask {
  let nextWindowsAt = 0
  /** Windows whose rows the last run found locked. The next run retries them instead of waiting a day. */
  let lockedWindows: Partial<RetentionWindows> = {}
  const run = async () => {
    const { heldUntil, lastRunAt, began } = await startDeletions(db)
    if (heldUntil) {
      if (began)
        log.warn(
          { last_run_at: lastRunAt, held_until: heldUntil },
          'Nothing was deleted by age for over a day: the service was stopped, or the clock of the database jumped. ' +
            'Deletions are on hold. If the clock is right, end the hold with: mokuroku retention --resume',
        )
      return
    }
    const isTimeForWindows = performance.now() >= nextWindowsAt
    const locked = new Set<string>()
    await deleteByAge(db, isTimeForWindows ? windows : lockedWindows, (name) => locked.add(name))
    lockedWindows = Object.fromEntries(
      Object.entries(windows).filter(([setting]) => locked.has(setting)),
    )
    if (locked.size > 0)
      log.info(
        { locked: [...locked] },
        'Expired rows are locked by other transactions and stay until the next run',
      )
    if (isTimeForWindows) nextWindowsAt = performance.now() + WINDOWS_EVERY_MS
    await purgeAccounts(db)
  }
  return startPeriodicTask(
    () => RUN_MINUTES * 60_000 * (0.5 + Math.random()),
    () => traceTask('housekeeping', run),
    (err) => log.warn({ err }, 'Could not delete expired rows'),
  )
}
