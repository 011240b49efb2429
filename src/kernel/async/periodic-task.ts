import { setTimeout as sleep } from 'node:timers/promises'

/** Work that repeats until it is stopped. */
export type PeriodicTask = {
  /** Ends the pause: the next run starts at once, or right after the current one. */
  wake(): void
  /** Resolves when the current run has ended. No other run starts. */
  stop(): Promise<void>
}

/** Maximum delay of a timer, in milliseconds, for a task that runs only when woken. */
export const UNTIL_WOKEN = 2 ** 31 - 1

/**
 * Repeats `work` with a pause between runs, and before the first. The task does not keep the process alive.
 *
 * @param intervalMs pause between two runs, in milliseconds; a function is called before each pause
 * @param work receives a signal that `stop` aborts, so that a run can end early
 * @param onError receives the error of a failed run; the task continues
 */
export function startPeriodicTask(
  intervalMs: number | (() => number),
  work: (stopping: AbortSignal) => Promise<unknown>,
  onError: (error: unknown) => void,
): PeriodicTask {
  const stopping = new AbortController()
  let wait = new AbortController()
  const running = (async () => {
    for (;;) {
      const milliseconds = typeof intervalMs === 'number' ? intervalMs : intervalMs()
      await sleep(milliseconds, undefined, { signal: wait.signal, ref: false }).catch(() => {})
      // Created before the run, so that a wake during the run ends the next pause.
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
