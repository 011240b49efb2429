import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { tryLockWith, underLock } from '../db/advisory-locks.ts'
import type { Database } from '../db/database.ts'
import { statement } from '../db/statement.ts'
import type { DueTask } from '../db/upkeep/due-tasks.ts'
import { startPeriodicTask, UNTIL_WOKEN } from '../kernel/async/periodic-task.ts'
import {
  findDueSteps,
  followCatalog,
  followLikes,
  refreshOld,
  SIMILAR_DUE,
} from './follow-queries.ts'
import { computeDue, postponeNext } from './compute-queries.ts'

/** Target duration of a batch. Requests to the embedded database wait that long. */
const BATCH_MS = 40
const MAX_BATCH = 50

/**
 * Takes the lock and restricts the planner to index scans, because after an import it lacks statistics and might read whole
 * tables for a few works. The timeout ends the transaction of a machine that has disappeared.
 */
const TRY_LOCK = statement('similar.try_lock').returning<{ taken: boolean }>(
  tryLockWith('similarWorks', {
    idle_in_transaction_session_timeout: '5s',
    enable_seqscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    jit: 'off',
    plan_cache_mode: 'force_generic_plan',
  }),
)

/**
 * Starts the task that keeps similar works up to date. Any number of processes may run it; they take turns. Each step is a
 * transaction and pending work is stored in the database, so another process can continue at any point.
 */
export function startSimilar(db: Database, log: Pick<Logger, 'warn'>): DueTask {
  const updater = similarUpdater(db)
  const task = startPeriodicTask(
    UNTIL_WOKEN,
    async (stopping) => {
      for (;;) {
        const began = performance.now()
        const isDone = !(await updater.runStep())
        // Leave half of the time to requests.
        await sleep(performance.now() - began, undefined, { signal: stopping, ref: false }).catch(
          () => {},
        )
        if (isDone || stopping.aborted) return
      }
    },
    (err) => log.warn({ err }, 'Could not compute similar works; will retry'),
  )
  return { ...task, isDue: SIMILAR_DUE }
}

/** Returns an updater. Its `runStep` runs one step and returns whether another may be due. */
export function similarUpdater(db: Database) {
  let batch = 10

  async function compute(): Promise<boolean> {
    const began = performance.now()
    const limit = batch
    try {
      const computed = await underLock(db, TRY_LOCK, 0, (trx) => computeDue(trx, limit))
      const each = (performance.now() - began) / Math.max(1, computed)
      if (computed > 0)
        batch = Math.max(1, Math.min(MAX_BATCH, 2 * limit, Math.round(BATCH_MS / each)))
      return computed > 0
    } catch (error) {
      if (limit === 1) await postponeNext(db)
      batch = 1
      throw error
    }
  }

  return {
    async runStep(): Promise<boolean> {
      const due = await findDueSteps(db)
      if (due.likes)
        return underLock(db, TRY_LOCK, false, async (trx) => (await followLikes(trx), true))
      if (due.changes)
        return underLock(db, TRY_LOCK, false, async (trx) => (await followCatalog(trx), true))
      if (due.works) return compute()
      if (due.old)
        return underLock(db, TRY_LOCK, false, async (trx) => (await refreshOld(trx), true))
      return false
    },
  }
}
