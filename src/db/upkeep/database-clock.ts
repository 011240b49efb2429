import type { Logger } from 'pino'
import { startPeriodicTask } from '../../kernel/async/periodic-task.ts'
import type { Database } from '../database.ts'
import { queryRow } from '../query.ts'
import { statement } from '../statement.ts'

/** Time between two measurements, in milliseconds. */
const INTERVAL_MS = 60_000

/** Difference of the clocks, in seconds, above which the service warns. */
const MAX_SKEW_SECONDS = 5

const FIND_TIME = statement('db.find_time').returning<{ at: Date }>(
  'select clock_timestamp() as at',
)

/** Returns the time of the database. */
export async function databaseTime(db: Database): Promise<Date> {
  const row = await queryRow(db, FIND_TIME, [])
  if (!row) throw new Error('The database returned no time')
  return row.at
}

/**
 * Clock of the database, as last measured. All lifetimes follow it, because processes on several machines share it.
 */
export type DatabaseClock = {
  /** Returns the time in milliseconds since 1970. */
  now: () => number
  /** Returns how far, in whole seconds, the database is ahead of this process; negative if it is behind. */
  skewSeconds: () => number
}

/** Clock of this process, for code that runs without a service. */
export const LOCAL_CLOCK: DatabaseClock = { now: () => Date.now(), skewSeconds: () => 0 }

/**
 * Measures the difference between the clocks, at once and then every minute. Warns if it exceeds five seconds.
 *
 * @throws {Error} if the first measurement fails
 */
export async function watchDatabaseClock(
  db: Database,
  log: Pick<Logger, 'info' | 'warn'>,
  { intervalMs = INTERVAL_MS, readTime = databaseTime } = {},
): Promise<DatabaseClock & { stop(): Promise<void> }> {
  let skewMs = 0
  let hasWarned = false

  async function measure() {
    const before = Date.now()
    const at = (await readTime(db)).getTime()
    const after = Date.now()
    // The database read its clock between `before` and `after`. An estimate that lies in that range is kept.
    skewMs = Math.min(Math.max(skewMs, at - after), at - before)
    report()
  }

  function report() {
    const seconds = Math.round(skewMs / 1_000)
    const isLarge = Math.abs(skewMs) > MAX_SKEW_SECONDS * 1_000
    if (isLarge)
      log.warn(
        { skew_seconds: seconds },
        `The clock of this machine is ${Math.abs(seconds)} seconds ${seconds > 0 ? 'behind' : 'ahead of'} that of the database. ` +
          'Lifetimes follow the database. Synchronize both with NTP.',
      )
    else if (hasWarned) log.info('The clocks of this machine and of the database agree again')
    hasWarned = isLarge
  }

  await measure()
  const { stop } = startPeriodicTask(intervalMs, measure, (err) =>
    log.warn({ err }, 'Could not compare the clock with that of the database; retrying'),
  )
  return { now: () => Date.now() + skewMs, skewSeconds: () => Math.round(skewMs / 1_000), stop }
}
