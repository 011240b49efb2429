import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { holdLock } from '../advisory-locks.ts'
import { explainBlockers, FIND_BLOCKERS, type Blocker } from '../server/blockers.ts'
import { isDeadlock, isLockTimeout } from '../constraint-errors.ts'
import type { Database } from '../database.ts'
import { inLongTransaction } from '../server/long-transaction.ts'
import { queryRows } from '../query.ts'
import { withoutLockDiagnostics } from '../server/watch-locks.ts'

/**
 * Time, in milliseconds, that a statement waits for a lock. Other statements on the same table queue behind it. Longer
 * than `deadlock_timeout` (one second), after which PostgreSQL cancels an autovacuum that holds the lock.
 */
const LOCK_TIMEOUT_MS = 1_500
/** First and maximum delay, in milliseconds, before the next attempt. The delay doubles each time. */
const RETRY_DELAY_RANGE_MS = [1_000, 30_000] as const
/** Time, in milliseconds, after which a migration that cannot get its locks fails. */
const GIVE_UP_MS = 600_000

export type TurnOptions = {
  log?:
    | { info(facts: object, message: string): void; warn(facts: object, message: string): void }
    | undefined
  /** Overrides for tests, in milliseconds. */
  lockTimeoutMs?: number
  giveUpMs?: number
}

/**
 * Runs one step of a migration in its own transaction, while no other process migrates. A step that does not get a
 * lock is rolled back, so that no session queues behind it, and is retried after a delay. Each retry logs the sessions
 * that hold the lock.
 *
 * @throws {Error} if the step gets no lock within ten minutes; waits indefinitely for another migrating process
 */
export async function takeTurn<Result>(
  db: Database,
  migration: string,
  work: (trx: Database) => Promise<Result>,
  { log, lockTimeoutMs = LOCK_TIMEOUT_MS, giveUpMs = GIVE_UP_MS }: TurnOptions,
): Promise<Result> {
  const [first, longest] = RETRY_DELAY_RANGE_MS
  let pause: number = first
  let blockedSince: number | undefined
  let blockedBy: Blocker[] = []
  for (;;) {
    const watch = watchBlockers(db, lockTimeoutMs / 2)
    let hasTurn = false
    try {
      const step = async (trx: Database) => {
        await sql`set local lock_timeout = ${sql.lit(lockTimeoutMs)}`.execute(trx)
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
        watch.begin(rows[0]?.pid ?? 0)
        await holdLock(trx, 'migrations')
        hasTurn = true
        return work(trx)
      }
      return await withoutLockDiagnostics(() => inLongTransaction(db, Infinity, step))
    } catch (error) {
      if (!isLockTimeout(error) && !isDeadlock(error)) throw error
      const found = await watch.found()
      // A loaded server may respond only after the wait.
      if (found.length > 0) blockedBy = found
      if (!hasTurn) {
        log?.info(
          { migration, blocked_by: blockedBy },
          'Another process is migrating; waiting for it',
        )
        continue
      }
      blockedSince ??= performance.now()
      if (performance.now() - blockedSince >= giveUpMs)
        throw new Error(`Migration ${migration} failed. ${explainBlockers(blockedBy, true)}`, {
          cause: error,
        })
      log?.warn(
        { migration, blocked_by: blockedBy, retry_in_ms: pause },
        'Another session holds a lock that the migration needs; retrying',
      )
      await sleep(pause)
      pause = Math.min(pause * 2, longest)
    } finally {
      watch.end()
    }
  }
}

/** Queries, on a second connection, which sessions block a transaction. The server knows this only during the wait. */
function watchBlockers(db: Database, afterMs: number) {
  const ended = new AbortController()
  const started = Promise.withResolvers<number>()
  const queryBlockers = async (): Promise<Blocker[]> => {
    const pid = await started.promise
    await sleep(afterMs, undefined, { signal: ended.signal, ref: false })
    return queryRows(db, FIND_BLOCKERS, [pid])
  }
  // Failing to list the blockers must not fail the migration.
  const blockers = queryBlockers().catch((): Blocker[] => [])
  return { begin: started.resolve, found: () => blockers, end: () => ended.abort() }
}
