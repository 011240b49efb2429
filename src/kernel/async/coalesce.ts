import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Runs `work` for all callers, at most once in `intervalMs`. Calls within the interval share the next run. Each result
 * comes from a run that started after the call.
 *
 * @param now milliseconds of a monotonic clock
 */
export function coalesce(
  intervalMs: number,
  work: () => Promise<void>,
  now: () => number = () => performance.now(),
): () => Promise<void> {
  let lastStart = -Infinity
  let underWay: Promise<unknown> = Promise.resolve()
  let next: Promise<void> | undefined

  async function run() {
    await underWay.catch(() => {})
    const wait = lastStart + intervalMs - now()
    if (wait > 0) await sleep(wait, undefined, { ref: false })
    next = undefined
    lastStart = now()
    await (underWay = work())
  }

  return () => (next ??= run())
}
