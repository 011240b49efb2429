import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { isDeadlock, isLockTimeout } from './constraint-errors.ts'
import type { Database } from './database.ts'
import { inLongTransaction } from './long-transaction.ts'

/** Key of the advisory lock that the migrating process holds: an arbitrary number, the same in all processes. */
const MIGRATION_LOCK_KEY = 7_301_955

/** Time, in milliseconds, a statement waits for a lock. Other statements on the table queue behind it meanwhile. */
const LOCK_TIMEOUT_MS = 3_000
/** First and maximum delay, in milliseconds, before the next attempt; the delay doubles each time. */
const RETRY_DELAY_RANGE_MS = [1_000, 30_000] as const
/** Time, in milliseconds, after which a migration that cannot get its locks fails. */
const GIVE_UP_MS = 600_000

type Blocker = { pid: number; application: string; state: string; since: Date | null }

export type TurnOptions = {
  log?: { info(facts: object, message: string): void; warn(facts: object, message: string): void } | undefined
  /** Overrides for tests, in milliseconds. */
  lockTimeoutMs?: number
  giveUpMs?: number
}

/**
 * Runs one step of a migration in a transaction of its own, while no other process migrates. A step that does not get a lock
 * is rolled back, so that no session queues behind it, and retried after a delay. Each retry logs the sessions that hold the
 * lock.
 *
 * @throws {Error} if the step gets no lock within ten minutes; it waits indefinitely for another migrating process
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
  for (;;) {
    const watch = watchBlockers(db, lockTimeoutMs / 2)
    let hasTurn = false
    try {
      return await inLongTransaction(db, Infinity, async (trx) => {
        await sql`set local lock_timeout = ${sql.lit(lockTimeoutMs)}`.execute(trx)
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
        watch.begin(rows[0]?.pid ?? 0)
        await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK_KEY}::bigint)`.execute(trx)
        hasTurn = true
        return work(trx)
      })
    } catch (error) {
      if (!isLockTimeout(error) && !isDeadlock(error)) throw error
      const blockedBy = await watch.found()
      if (!hasTurn) {
        log?.info({ migration, blocked_by: blockedBy }, 'Another process is migrating; waiting for it')
        continue
      }
      blockedSince ??= performance.now()
      if (performance.now() - blockedSince >= giveUpMs) throw neverUnlocked(migration, blockedBy, error)
      log?.warn(
        { migration, blocked_by: blockedBy, retry_in_ms: pause },
        'A migration needs a lock that others hold; trying again',
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
  const begun = Promise.withResolvers<number>()
  const ask = async (): Promise<Blocker[]> => {
    const pid = await begun.promise
    await sleep(afterMs, undefined, { signal: ended.signal, ref: false })
    const { rows } = await sql<Blocker>`
      select pid, application_name as application, state, xact_start as since
      from pg_stat_activity
      where pid = any(pg_blocking_pids(${pid}))
      order by pid`.execute(db)
    return rows
  }
  // Failing to list the blockers must not fail the migration.
  const asked = ask().catch((): Blocker[] => [])
  return { begin: begun.resolve, found: () => asked, end: () => ended.abort() }
}

function neverUnlocked(migration: string, blockedBy: Blocker[], cause: unknown) {
  const pids = blockedBy.map(({ pid }) => pid).join(', ')
  return new Error(
    `Migration ${migration} did not get the locks it needs. ${pids ? `The database sessions ${pids} hold them` : 'Other database sessions hold them'}: end those (select pg_terminate_backend(PID)), and start again.`,
    { cause },
  )
}
