import { setTimeout as sleep } from 'node:timers/promises'

/** Work that is done again and again until it is stopped. */
export type PeriodicTask = {
  /** Returns when the run under way has ended; no other begins. */
  stop(): Promise<void>
}

/**
 * Does `work` again and again, each run a while after the end of the one before; the first comes after a wait too. It
 * keeps no process alive.
 *
 * @param everyMs between two runs, in milliseconds; a function is asked before each wait
 * @param onError is told what a run threw; the next one comes as always
 */
export function startPeriodicTask(
  everyMs: number | (() => number),
  work: () => Promise<unknown>,
  onError: (error: unknown) => void,
): PeriodicTask {
  const stopping = new AbortController()
  const { signal } = stopping
  const running = (async () => {
    for (;;) {
      const wait = typeof everyMs === 'number' ? everyMs : everyMs()
      await sleep(wait, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      try {
        await work()
      } catch (error) {
        onError(error)
      }
    }
  })()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
