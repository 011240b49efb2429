import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { startPeriodicTask } from '../../kernel/periodic-task.ts'
import { findPendingIndex, followChangedNames, followListings, vacuumIndex } from './follow-queries.ts'
import { findFrequencies, type Frequencies } from './frequencies-queries.ts'
import { rebuildNext } from './rebuild-queries.ts'

/** Milliseconds between two looks. */
const EVERY_MS = 400
/** Milliseconds after which what is frequent is read again. */
const FREQUENCIES_MS = 60_000
/** Rows written, about, after which the tables are vacuumed. */
const VACUUM_AFTER = 20_000

/** The index of names follows the catalog, and what it knows of itself. */
export type SearchIndex = { frequencies(): Frequencies; stop(): Promise<void> }

/**
 * Has the index follow what imports do not tell it of themselves: changes by other hands, entries that were there before it
 * was, readers. Every process does, one at a time; where one stops another goes on.
 */
export async function startSearchIndex(db: Database, log: Logger): Promise<SearchIndex> {
  let frequencies = await findFrequencies(db)
  let readAt = performance.now()
  let written = 0

  async function pass(stopping: AbortSignal) {
    const pending = await findPendingIndex(db)
    for (const [isPending, follow] of [
      [pending.changes, followChangedNames],
      [pending.rebuild, rebuildNext],
      [pending.readers, followListings],
    ] as const) {
      if (!isPending) continue
      for (;;) {
        const amount = await follow(db)
        written += amount
        if (amount === 0 || stopping.aborted) break
      }
    }
    if (stopping.aborted) return
    if (written >= VACUUM_AFTER) {
      written = 0
      await vacuumIndex(db)
      readAt = -Infinity
    }
    if (performance.now() - readAt < FREQUENCIES_MS) return
    readAt = performance.now()
    frequencies = await findFrequencies(db)
  }

  const { stop } = startPeriodicTask(EVERY_MS, pass, (err) =>
    log.warn({ err }, 'The index of names could not follow the catalog; trying again'),
  )
  return { frequencies: () => frequencies, stop }
}
