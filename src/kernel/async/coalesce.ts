import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Runs `work` for all callers, never twice at once and at most once in `intervalMs`. Calls during a run or within the
 * interval share the next run, so each result comes from a run that started after the call.
 *
 * @param now milliseconds of a monotonic clock
 */
export function coalesce<Result>(
  intervalMs: number,
  work: () => Promise<Result>,
  now: () => number = () => performance.now(),
): () => Promise<Result> {
  let lastStart = -Infinity
  let underWay: Promise<unknown> = Promise.resolve()
  let next: Promise<Result> | undefined

  async function run() {
    await underWay.catch(() => {})
    const wait = lastStart + intervalMs - now()
    if (wait > 0) await sleep(wait, undefined, { ref: false })
    next = undefined
    lastStart = now()
    const result = work()
    underWay = result
    return result
  }

  return () => (next ??= run())
}
