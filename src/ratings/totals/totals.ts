import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { startDueSteps, type DueTask } from '../../db/upkeep/due-tasks.ts'
import type { Signals } from '../../db/upkeep/signals.ts'
import { DELTA_STEPS, findLastRevision, listChangedWorks, type ChangedWork } from './queries.ts'

export type Totals = {
  /** Calls `listener` for every work whose published `rating` changes in any process. */
  onChange(listener: (work: ChangedWork) => void): void
}

/** Starts watching. Cache responses only after this returns, because earlier changes are not reported. */
export async function watchTotals(db: Database, signals: Signals): Promise<Totals> {
  const listeners: ((work: ChangedWork) => void)[] = []
  let lastRevision = await findLastRevision(db)
  signals.on('ratings', async () => {
    const works = await listChangedWorks(db, lastRevision)
    for (const work of works) for (const listener of listeners) listener(work)
    lastRevision = works.at(-1)?.revision ?? lastRevision
  })
  return {
    onChange(listener) {
      listeners.push(listener)
    },
  }
}

/**
 * Starts the task that applies deltas, so that published ratings and vote counts are updated within a second. Any
 * number of processes may run the task; they take turns.
 */
export const startTotals = (db: Database, log: Logger): DueTask =>
  startDueSteps(
    db,
    DELTA_STEPS,
    (err) => log.warn({ err }, 'Could not apply rating and vote deltas; will retry'),
    { name: 'totals' },
  )
