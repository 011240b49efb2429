import { AsyncLocalStorage } from 'node:async_hooks'

/** Maximum time, in milliseconds, that a request waits for one statement or for a free connection. */
export const STATEMENT_DEADLINE_MS = 5_000

/**
 * Slightly shorter timeout on the server. A responsive server cancels the statement itself, so that the connection
 * stays usable.
 */
export const STATEMENT_TIMEOUT_MS = STATEMENT_DEADLINE_MS - 500

/**
 * Maximum time, in milliseconds, that a transaction may be idle. If its connection is lost, the server keeps its locks
 * for this time.
 */
export const IDLE_TRANSACTION_MS = 6_000

const deadlines = new AsyncLocalStorage<() => number>()

/**
 * Returns the milliseconds left for a statement sent now: 0 if the deadline has passed, `Infinity` without a deadline.
 */
export const currentDeadline = (): number => deadlines.getStore()?.() ?? STATEMENT_DEADLINE_MS

/** Overrides the client-side deadline of every statement in `work`. */
export const withDeadline = <Result>(
  milliseconds: number,
  work: () => Promise<Result>,
): Promise<Result> => deadlines.run(() => milliseconds, work)

/** Runs `work` with one deadline for all its statements together, by default that of a single statement. */
export function withinOneDeadline<Result>(
  work: () => Promise<Result>,
  milliseconds = STATEMENT_DEADLINE_MS,
): Promise<Result> {
  const end = performance.now() + milliseconds
  return deadlines.run(() => Math.max(0, end - performance.now()), work)
}

/** A statement got no response in time, so its connection was closed. The statement may have run nevertheless. */
export class DeadlineMissedError extends Error {
  override name = 'DeadlineMissedError'
  readonly code = 'ETIMEDOUT'

  constructor(milliseconds: number) {
    super(`The database did not respond to a statement within ${milliseconds} ms`)
  }
}
