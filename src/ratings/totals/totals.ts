import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { startPeriodicTask } from '../../kernel/periodic-task.ts'
import type { Signals } from '../../db/signals.ts'
import {
  vacuumDeltas,
  findLastRevision,
  findPendingDeltas,
  applyRatingDeltas,
  applyVoteDeltas,
  listChangedWorks,
  type ChangedWork,
} from './queries.ts'

/** Published ratings and counts of votes follow what readers record, within a second. */
export type Totals = {
  /** Calls `listener` with every work whose published `rating` any process has changed. */
  onChange(listener: (work: ChangedWork) => void): void
  /** Finishes the batch in hand. */
  stop(): Promise<void>
}

export type TotalsOptions = { db: Database; signals: Signals; log: Logger }

/** Between two looks, in milliseconds; with the poll of the signals (`db/signals.ts`) it is what a change takes to be seen. */
const EVERY_MS = 250
/** Batches after which the tables of the deltas are vacuumed. */
const VACUUM_AFTER = 200

/**
 * Applies the deltas of what readers record until it is stopped; every process does, one at a time.
 *
 * Answers must be cached only after this has returned: a change before it is not announced.
 */
export async function startTotals({ db, signals, log }: TotalsOptions): Promise<Totals> {
  const listeners: ((work: ChangedWork) => void)[] = []
  let lastRevision = await findLastRevision(db)
  signals.on('ratings', async () => {
    const works = await listChangedWorks(db, lastRevision)
    for (const work of works) for (const listener of listeners) listener(work)
    lastRevision = works.at(-1)?.revision ?? lastRevision
  })

  let isStopping = false
  let batches = 0
  async function applyAll(applyBatch: (db: Database) => Promise<boolean>) {
    for (;;) {
      const hasMore = await applyBatch(db)
      batches += 1
      if (!hasMore || isStopping) return
    }
  }

  const { stop } = startPeriodicTask(
    EVERY_MS,
    async () => {
      const pending = await findPendingDeltas(db)
      if (pending.ratings) await applyAll(applyRatingDeltas)
      if (pending.votes) await applyAll(applyVoteDeltas)
      if (batches < VACUUM_AFTER || isStopping) return
      batches = 0
      await vacuumDeltas(db)
    },
    (err) => log.warn({ err }, 'What readers recorded could not be gathered; trying again'),
  )

  return {
    onChange(listener) {
      listeners.push(listener)
    },
    async stop() {
      isStopping = true
      await stop()
    },
  }
}
