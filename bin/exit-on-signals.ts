import { constants } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Maximum time, in milliseconds, to wait for the work to stop after a signal. */
const MAX_STOPPING_MS = 5_000

/**
 * Runs a command that has temporary files. While the command runs, a signal ends this process through `process.exit`,
 * which deletes them (`kernel/remove-at-exit.ts`).
 *
 * @param stop ends the work early. The process then exits once the work has ended, or after five seconds.
 */
export async function exitOnSignals<Result>(
  work: () => Promise<Result>,
  stop?: () => void,
): Promise<Result> {
  const working = Promise.resolve().then(work)
  const exit = async (signal: (typeof SIGNALS)[number]) => {
    stop?.()
    if (stop) await Promise.race([working.catch(() => {}), sleep(MAX_STOPPING_MS)])
    process.exit(128 + constants.signals[signal])
  }
  const exitNow = (signal: (typeof SIGNALS)[number]) => void exit(signal)
  for (const name of SIGNALS) process.on(name, exitNow)
  try {
    return await working
  } finally {
    for (const name of SIGNALS) process.off(name, exitNow)
  }
}
