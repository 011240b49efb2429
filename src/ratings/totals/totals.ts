import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { startDueSteps, type DueTask } from '../../db/upkeep/due-tasks.ts'
import type { Signals } from '../../db/upkeep/signals.ts'
import { DELTA_STEPS, findLastRevision, listChangedWorks, type ChangedWork } from './queries.ts'

/** What of published ratings any process has changed. */
export type Totals = {
  /** Calls `listener` with every work whose published `rating` any process has changed. */
  onChange(listener: (work: ChangedWork) => void): void
}

/** Answers must be cached only after this has returned: a change before it is not announced. */
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
 * Applies the deltas of what readers record until it is stopped, so that published ratings and counts of votes follow them
 * within a second. Any number of processes may do so, one at a time.
 */
export const startTotals = (db: Database, log: Logger): DueTask =>
  startDueSteps(db, DELTA_STEPS, (err) =>
    log.warn({ err }, 'What readers recorded could not be gathered; trying again'),
  )
