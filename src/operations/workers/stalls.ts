import type { Worker } from 'node:cluster'
import { url as inspectorUrl } from 'node:inspector'

/** Interval, in milliseconds, at which workers report that their event loop is not blocked. */
export const BEAT_MS = 500
/** Number of missed beats after which a worker gets no more connections: two seconds. */
const MAX_MISSED = 4
/** Number of missed beats after which a worker is killed: ten seconds. */
const MAX_MISSED_ALIVE = 20

/**
 * Watches the beats of workers. Counting beats instead of measuring time excludes the time for which this process, or
 * the whole machine, was suspended.
 *
 * @param onStalled called when a worker has missed the beats of two seconds
 * @param onResumed called at the first beat of a worker that was stalled
 * @param onStuck called when a worker has missed the beats of ten seconds
 */
export function watchStalls(
  onStalled: (worker: Worker) => void,
  onResumed: (worker: Worker) => void,
  onStuck: (worker: Worker) => void,
) {
  const missed = new Map<Worker, number>()
  // A worker may be paused in a debugger.
  if (inspectorUrl() === undefined)
    setInterval(() => {
      for (const [worker, count] of missed) {
        missed.set(worker, count + 1)
        if (count + 1 === MAX_MISSED) onStalled(worker)
        if (count + 1 === MAX_MISSED_ALIVE) onStuck(worker)
      }
    }, BEAT_MS).unref()
  return {
    beat(worker: Worker) {
      const wasStalled = (missed.get(worker) ?? 0) >= MAX_MISSED
      missed.set(worker, 0)
      if (wasStalled) onResumed(worker)
    },
    remove: (worker: Worker) => void missed.delete(worker),
  }
}
