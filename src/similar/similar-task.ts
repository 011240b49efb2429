import type { Logger } from 'pino'
import { tryLockWith, underLock } from '../db/advisory-locks.ts'
import type { Database } from '../db/database.ts'
import { isDistributed } from '../db/sharding/distribute.ts'
import { statement } from '../db/statement.ts'
import { startDueSteps, type DueSteps, type DueTask } from '../db/upkeep/due-tasks.ts'
import { DUE, followCatalog, followLikes, refreshOld } from './follow-queries.ts'
import { computeDue, postponeNext } from './compute-queries.ts'

/** Target duration of a batch, in milliseconds. Requests to the embedded database may wait this long. */
const BATCH_MS = 40
const MAX_BATCH = 50

/**
 * Takes the lock and restricts the planner to index scans. After an import, the planner lacks statistics and might
 * read whole tables for a few works. The timeout ends the transaction of a machine that has disappeared.
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
 * Starts the task that keeps similar works up to date. Several processes may run it; they take turns. Each step is one
 * transaction. Pauses between steps leave half of the time for requests.
 */
export const startSimilar = (db: Database, log: Pick<Logger, 'warn'>): DueTask =>
  startDueSteps(
    db,
    makeSimilarSteps(),
    (err) => log.warn({ err }, 'Could not compute similar works; will retry'),
    { pauses: true, name: 'similar' },
  )

/** Returns steps whose batch size adapts to the duration of earlier batches. */
export function makeSimilarSteps(): DueSteps {
  let batch = 10
  let known: boolean | undefined

  async function compute(db: Database): Promise<number> {
    const began = performance.now()
    const limit = batch
    try {
      const distributed = (known ??= await isDistributed(db))
      const computed = await underLock(db, TRY_LOCK, 0, (trx) =>
        computeDue(trx, limit, distributed),
      )
      const each = (performance.now() - began) / Math.max(1, computed)
      if (computed > 0)
        batch = Math.max(1, Math.min(MAX_BATCH, 2 * limit, Math.round(BATCH_MS / each)))
      return computed
    } catch (error) {
      if (limit === 1) await postponeNext(db)
      batch = 1
      throw error
    }
  }

  const locked = (work: (trx: Database) => Promise<number>) => (db: Database) =>
    underLock(db, TRY_LOCK, 0, work)
  return {
    likes: { queues: ['like_notes'], run: locked(followLikes) },
    changes: { isDue: DUE.changes, run: locked(followCatalog) },
    works: { isDue: DUE.works, run: compute },
    old: { isDue: DUE.old, run: locked(refreshOld) },
  }
}
