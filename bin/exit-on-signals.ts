import { constants } from 'node:os'

/** Lets a signal end this process through `process.exit`, which deletes temporary files (`kernel/remove-at-exit.ts`). */
export function exitOnSignals() {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(name, () => process.exit(128 + constants.signals[name]))
}
