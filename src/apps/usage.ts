import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { startPeriodicTask } from '../kernel/periodic-task.ts'
import { addUsage, type UsageCounts } from './usage-queries.ts'

export type Usage = {
  /** Counts one, in memory. */
  count(clientId: string, what: keyof UsageCounts): void
  /** Writes the counts that are left. */
  stop(): Promise<void>
}

/** Between two writes of the counts, in milliseconds: what a process that is killed loses at most. */
const WRITE_MS = 3_000

/** Counts what apps do, in memory, so that no request waits for it. */
export function startUsage(db: Database, log: Logger): Usage {
  let counts = new Map<string, UsageCounts>()

  async function write() {
    if (counts.size === 0) return
    const written = counts
    counts = new Map()
    try {
      await addUsage(db, written)
    } catch (err) {
      for (const [clientId, lost] of written)
        for (const [what, number] of entriesOf(lost)) add(clientId, what, number)
      throw err
    }
  }

  function add(clientId: string, what: keyof UsageCounts, number: number) {
    let app = counts.get(clientId)
    if (!app) counts.set(clientId, (app = { requests: 0, rate_limited: 0, errors: 0, tokens: 0 }))
    app[what] += number
  }

  const logFailure = (err: unknown) =>
    log.warn({ err }, 'The use of apps could not be written down; trying again')
  const writing = startPeriodicTask(WRITE_MS, write, logFailure)

  return {
    count: (clientId, what) => add(clientId, what, 1),
    async stop() {
      await writing.stop()
      await write().catch(logFailure)
    },
  }
}

// as: the keys of a record with just those
const entriesOf = (counts: UsageCounts) => Object.entries(counts) as [keyof UsageCounts, number][]
