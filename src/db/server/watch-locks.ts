import { AsyncLocalStorage } from 'node:async_hooks'
import { errorCode } from '../../kernel/error-code.ts'
import pg from 'pg'
import { explainBlockers, FIND_BLOCKERS, type Blocker } from './blockers.ts'
import { STATEMENT_DEADLINE_MS } from './deadlines.ts'
import { findPrimary } from './primary-finder.ts'

/** Time, in milliseconds, that a statement runs before the sessions that block it are queried. */
const BLOCKER_QUERY_DELAY_MS = 2_000

type Log = { warn(facts: { blocked_by: Blocker[] }, message: string): void }
type Watch = { log: Log; isOver: boolean }

const watches = new AsyncLocalStorage<Watch>()

/** A statement did not get its lock in time. The message names the sessions that hold the lock. */
class LockNotGrantedError extends Error {
  override name = 'LockNotGrantedError'
  readonly code = '55P03'

  constructor(blockers: Blocker[], cause: unknown) {
    super(explainBlockers(blockers, true), { cause })
  }
}

/**
 * Runs a command with lock diagnostics. If a statement misses its deadline because of a lock, its error names the
 * sessions that hold the lock. For a statement without a deadline, the log names them.
 */
export async function watchLocks<Result>(log: Log, work: () => Promise<Result>): Promise<Result> {
  const watch = { log, isOver: false }
  try {
    return await watches.run(watch, work)
  } finally {
    // Background work that the command started, such as periodic tasks, keeps running in the same context.
    watch.isOver = true
  }
}

/** Runs work that handles its own locks, without lock diagnostics. */
export const withoutLockDiagnostics = <Result>(work: () => Result): Result => watches.exit(work)

/**
 * @param pid session that runs the statement
 *
 * @param milliseconds deadline of the statement
 * @returns the statement's result, or rejects with an error that names the blockers
 */
export function explainLocks<Row>(
  result: Promise<Row>,
  { url, pid, milliseconds }: { url: string; pid: number; milliseconds: number },
): Promise<Row> {
  const watch = watches.getStore()
  return watch && !watch.isOver ? explain(result, watch.log) : result

  async function explain(waiting: Promise<Row>, log: Log): Promise<Row> {
    let found: Promise<Blocker[]> | undefined
    const check = async () => {
      found = findBlockers(url, pid)
      const blockers = await found
      if (blockers.length > 0 && milliseconds > STATEMENT_DEADLINE_MS)
        log.warn({ blocked_by: blockers }, explainBlockers(blockers, false))
    }
    const timer = setTimeout(() => void check(), BLOCKER_QUERY_DELAY_MS)
    try {
      return await waiting
    } catch (error) {
      if (!DEADLINE_CODES.has(errorCode(error) ?? '')) throw error
      const blockers = (await found) ?? []
      throw blockers.length > 0 ? new LockNotGrantedError(blockers, error) : error
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Error codes of a statement that missed its deadline, on the server or the client. */
const DEADLINE_CODES = new Set(['57014', 'ETIMEDOUT'])

/**
 * Uses a separate connection, because those of the pool may all be waiting. A failure to list the blockers must not
 * hide the original error.
 */
async function findBlockers(url: string, pid: number): Promise<Blocker[]> {
  let client: pg.Client | undefined
  try {
    client = new pg.Client({
      connectionString: await findPrimary(url),
      application_name: 'mokuroku',
      connectionTimeoutMillis: BLOCKER_QUERY_DELAY_MS,
      query_timeout: BLOCKER_QUERY_DELAY_MS,
    })
    client.on('error', () => {})
    await client.connect()
    return (await client.query<Blocker>(FIND_BLOCKERS.text, [pid])).rows
  } catch {
    return []
  } finally {
    await client?.end().catch(() => {})
  }
}
