import { constants } from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs a command that has temporary files. While the command runs, a signal ends this process through `process.exit`,
 * which deletes them (`kernel/remove-at-exit.ts`).
 */
export async function exitOnSignals<Result>(work: () => Promise<Result>): Promise<Result> {
  const exit = (signal: (typeof SIGNALS)[number]) => process.exit(128 + constants.signals[signal])
  for (const name of SIGNALS) process.on(name, exit)
  try {
    return await work()
  } finally {
    for (const name of SIGNALS) process.off(name, exit)
  }
}
