import type { Database } from './database.ts'
import { queryRows } from './query.ts'
import { statement, type Statement } from './statement.ts'

/**
 * Key of every advisory lock: arbitrary numbers, the same in all processes and versions. Each lock is held until its
 * transaction ends, so the death of a process releases it.
 */
export const ADVISORY_LOCKS = {
  /** Held by the process that runs migrations. */
  migrations: 7_301_955,
  /** Held while signing keys are created, rotated or encrypted. */
  signingKeys: 7_301_956,
  /** Held by an import, or by a change to entries outside of imports. */
  imports: 7_301_957,
  /** Held by the process that creates or updates the demo. */
  demo: 7_301_958,
  /** Taken with an import run's id as the second key, to show that the run is alive. */
  importRuns: 7_301_959,
  /** Held by the process that numbers catalog changes. */
  catalogChanges: 7_301_960,
  /** Held by the process that applies rating deltas or merges works. */
  ratingTotals: 7_301_961,
  /** Held by the service that makes the scheduled backup. */
  backups: 7_301_962,
  /** Held by the process that computes similar works. */
  similarWorks: 7_301_963,
  /** Held while an invitation is created at the desk. */
  invitations: 7_301_964,
  /** Held by a process that writes catalog listings. */
  listings: 7_301_971,
  /** Held by a process that writes the search index. */
  searchIndex: 7_301_972,
} as const

type AdvisoryLock = keyof typeof ADVISORY_LOCKS

/** Settings for a transaction. */
type Settings = Readonly<Record<string, string>>

const select = (call: string, settings: Settings) =>
  [
    `select ${call} as taken`,
    ...Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', true)`),
  ].join(', ')

/** Returns SQL that waits for a lock and applies settings to the transaction. */
export const lockWith = (lock: AdvisoryLock, settings: Settings) =>
  select(`pg_advisory_xact_lock(${ADVISORY_LOCKS[lock]}::bigint)`, settings)

/**
 * Returns SQL that takes a lock if it is free and applies settings to the transaction. It returns one row `{ taken:
 * boolean }`.
 */
export const tryLockWith = (lock: AdvisoryLock, settings: Settings) =>
  select(`pg_try_advisory_xact_lock(${ADVISORY_LOCKS[lock]}::bigint)`, settings)

const HOLD = statement('db.hold_lock').sql('select pg_advisory_xact_lock($1::bigint)')
const TRY = statement('db.try_lock').returning<{ taken: boolean }>(
  'select pg_try_advisory_xact_lock($1::bigint) as taken',
)
const HOLD_ONE_OF = statement('db.hold_one_of_locks').sql(
  'select pg_advisory_xact_lock($1::integer, $2::integer)',
)

/** Waits for the lock and holds it until the transaction ends. */
export async function holdLock(trx: Database, lock: AdvisoryLock): Promise<void> {
  await queryRows(trx, HOLD, [ADVISORY_LOCKS[lock]])
}

/**
 * Takes the lock if no other transaction holds it.
 *
 * @returns true if the lock was free
 */
export async function tryHoldLock(trx: Database, lock: AdvisoryLock): Promise<boolean> {
  const [row] = await queryRows(trx, TRY, [ADVISORY_LOCKS[lock]])
  return row?.taken ?? false
}

/** Acquires the lock of an import run until the transaction ends. */
export async function holdLockOfRun(trx: Database, run: number): Promise<void> {
  await queryRows(trx, HOLD_ONE_OF, [ADVISORY_LOCKS.importRuns, run])
}

/**
 * Runs `work` in its own transaction while holding a lock.
 *
 * @param tryLock a statement from `tryLockWith`
 * @param resultWithoutLock result if another transaction holds the lock
 */
export function underLock<Result>(
  db: Database,
  tryLock: Statement<{ taken: boolean }, readonly []>,
  resultWithoutLock: Result,
  work: (trx: Database) => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute(async (trx) => {
    // A separate statement, so that later ones see everything the previous holder committed.
    const [lock] = await queryRows(trx, tryLock, [])
    return lock?.taken ? work(trx) : resultWithoutLock
  })
}
