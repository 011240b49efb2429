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

/** Works computed at once: as many as take this long, so that a request to the embedded database waits no longer. */
const BATCH_MS = 40
const MAX_BATCH = 50

/**
 * Takes the lock, and keeps the planner to its indexes: after an import it knows the sizes of no table, and a guess would
 * have whole tables read for a few works. A machine that is gone holds up no other.
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
 * Keeps similar works up to date until it is stopped; any number of processes may, one at a time. What one leaves behind, another
 * takes up: each step is a transaction, and what is to be done stands in the database.
 */
export function startSimilar(db: Database, log: Pick<Logger, 'warn'>): DueTask {
  const keeper = similarUpdater(db)
  const task = startPeriodicTask(
    UNTIL_WOKEN,
    async (stopping) => {
      for (;;) {
        const began = performance.now()
        const isDone = !(await keeper.pass())
        // Half of the time belongs to everybody else.
        await sleep(performance.now() - began, undefined, { signal: stopping, ref: false }).catch(
          () => {},
        )
        if (isDone || stopping.aborted) return
      }
    },
    (err) => log.warn({ err }, 'Similar works could not be computed; trying again'),
  )
  return { ...task, isDue: SIMILAR_DUE }
}

/** Does the work step by step. `pass` does one and says whether there may be another. */
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
    async pass(): Promise<boolean> {
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
