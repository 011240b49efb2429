import { setTimeout as sleep } from 'node:timers/promises'

/** Work that is done again and again until it is stopped. */
export type PeriodicTask = {
  /** Ends the wait: the next run begins at once, or right after the one under way. */
  wake(): void
  /** Returns when the run under way has ended; no other begins. */
  stop(): Promise<void>
}

/** The longest wait of a timer, in milliseconds: of a task that only `wake` has run. */
export const UNTIL_WOKEN = 2 ** 31 - 1

/**
 * Does `work` again and again, each run a while after the end of the one before; the first comes after a wait too. It
 * keeps no process alive.
 *
 * @param everyMs between two runs, in milliseconds; a function is called before each wait
 * @param work is given a signal that is aborted by `stop`, for a run that can end early
 * @param onError is given what a run threw; the next one comes as always
 */
export function startPeriodicTask(
  everyMs: number | (() => number),
  work: (stopping: AbortSignal) => Promise<unknown>,
  onError: (error: unknown) => void,
): PeriodicTask {
  const stopping = new AbortController()
  let wait = new AbortController()
  const running = (async () => {
    for (;;) {
      const milliseconds = typeof everyMs === 'number' ? everyMs : everyMs()
      await sleep(milliseconds, undefined, { signal: wait.signal, ref: false }).catch(() => {})
      // A new one before the run: what wakes it from here on ends the next wait before it begins.
      wait = new AbortController()
      if (stopping.signal.aborted) return
      try {
        await work(stopping.signal)
      } catch (error) {
        onError(error)
      }
    }
  })()
  return {
    wake: () => wait.abort(),
    async stop() {
      stopping.abort()
      wait.abort()
      await running
    },
  }
}
