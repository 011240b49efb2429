import { AsyncLocalStorage } from 'node:async_hooks'

/** What a request waits for at most: one statement, and one free connection. In milliseconds. */
export const STATEMENT_DEADLINE_MS = 5_000

/** The server is told a little less: when it can, it cancels the statement itself, and the connection stays good. */
export const STATEMENT_TIMEOUT_MS = STATEMENT_DEADLINE_MS - 500

/**
 * What a transaction of ours may do nothing for. When its connection was lost on the way, the server does not know, and
 * its locks would stand in everybody's way until then.
 */
export const IDLE_TRANSACTION_MS = 6_000

const deadlines = new AsyncLocalStorage<() => number>()

/** Milliseconds left for a statement sent now: 0 if the deadline has passed, `Infinity` without one. */
export const currentDeadline = (): number => deadlines.getStore()?.() ?? STATEMENT_DEADLINE_MS

/** Gives every statement of `work` another deadline on our side. */
export const withDeadline = <Result>(
  milliseconds: number,
  work: () => Promise<Result>,
): Promise<Result> => deadlines.run(() => milliseconds, work)

/** Runs `work` with one deadline for all its statements, by default as long as that of a single statement. */
export function withinOneDeadline<Result>(
  work: () => Promise<Result>,
  milliseconds = STATEMENT_DEADLINE_MS,
): Promise<Result> {
  const end = performance.now() + milliseconds
  return deadlines.run(() => Math.max(0, end - performance.now()), work)
}

/** A statement had no answer in time, so its connection was given up: nobody knows what became of it. */
export class DeadlineMissedError extends Error {
  override name = 'DeadlineMissedError'
  readonly code = 'ETIMEDOUT'

  constructor(milliseconds: number) {
    super(`The database did not answer a statement within ${milliseconds} ms`)
  }
}
