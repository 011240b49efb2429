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

/** What is told of works and reviews follows what readers record, within a second. */
export type Totals = {
  /** Has `listener` told of every work whose `rating` any process has changed. */
  onChange(listener: (work: ChangedWork) => void): void
  /** Finishes the batch in hand. */
  stop(): Promise<void>
}

export type TotalsOptions = { db: Database; signals: Signals; log: Logger }

/** Between two looks, in milliseconds; with the poll of the signals (`db/signals.ts`) it is what a change takes to be told. */
const EVERY_MS = 250
/** Batches after which the queues are cleared. */
const CLEAR_AFTER = 200

/**
 * Gathers what readers record until it is stopped; every process does, one at a time.
 *
 * Whoever keeps answers in memory must do so only after this has returned.
 */
export async function startTotals({ db, signals, log }: TotalsOptions): Promise<Totals> {
  const listeners: ((work: ChangedWork) => void)[] = []
  let seen = await findLastRevision(db)
  signals.on('ratings', async () => {
    const works = await listChangedWorks(db, seen)
    for (const work of works) for (const listener of listeners) listener(work)
    seen = works.at(-1)?.revision ?? seen
  })

  const stopping = new AbortController()
  let batches = 0
  async function gatherAll(gather: (db: Database) => Promise<boolean>) {
    do batches += 1
    while ((await gather(db)) && !stopping.signal.aborted)
  }

  const { stop } = startPeriodicTask(
    EVERY_MS,
    async () => {
      const waiting = await findPendingDeltas(db)
      if (waiting.ratings) await gatherAll(applyRatingDeltas)
      if (waiting.votes) await gatherAll(applyVoteDeltas)
      if (batches < CLEAR_AFTER || stopping.signal.aborted) return
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
      stopping.abort()
      await stop()
    },
  }
}
