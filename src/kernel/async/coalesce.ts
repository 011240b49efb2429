import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Runs `work` for everybody who asks, at most once in `everyMs`: who asks too soon waits, with all the others, for the next
 * run. What comes back is settled by a run that began after it was asked for.
 *
 * @param now milliseconds of a clock that only goes forward
 */
export function coalesce(
  everyMs: number,
  work: () => Promise<void>,
  now: () => number = () => performance.now(),
): () => Promise<void> {
  let lastStart = -Infinity
  let underWay: Promise<unknown> = Promise.resolve()
  let next: Promise<void> | undefined

  async function run() {
    await underWay.catch(() => {})
    const wait = lastStart + everyMs - now()
    if (wait > 0) await sleep(wait, undefined, { ref: false })
    next = undefined
    lastStart = now()
    await (underWay = work())
  }

  return () => (next ??= run())
}
