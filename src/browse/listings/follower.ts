import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { startDueSteps, type DueTask } from '../../db/upkeep/due-tasks.ts'
import { LISTING_STEPS } from './follow-queries.ts'

/**
 * Starts the task that updates listings after changes other than imports: edits, entries older than the listings,
 * numbers of users, and scores. Several processes may run this task; they take turns.
 */
export const startListings = (db: Database, log: Logger): DueTask =>
  startDueSteps(
    db,
    LISTING_STEPS,
    (err) => log.warn({ err }, 'Could not update listings; will retry'),
    { name: 'listings' },
  )
