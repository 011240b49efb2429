import { readTable } from '../copy-text.ts'
import type { DumpReading } from '../dump/reading.ts'
import { type Extlinks, readExtlinks } from './extlinks.ts'

/** What entries of every kind take from elsewhere in the dump. */
export type Shared = { extlinks: Extlinks; times: ReadonlyMap<string, EntryTimes> }

export async function readShared(dump: DumpReading): Promise<Shared> {
  return { extlinks: await readExtlinks(dump), times: await readTimes(dump) }
}

/** When an entry was made and last changed, as VNDB publishes it: days without a time. */
type EntryTimes = { created_at: string | null; updated_at: string | null; revised_at: string | null }

async function readTimes(dump: DumpReading): Promise<Map<string, EntryTimes>> {
  const times = new Map<string, EntryTimes>()
  for await (const { id, created, lastmod } of readTable(dump, 'entry_meta', ['id', 'created', 'lastmod'])) {
    // Releases, tags and traits have times too, and are no entries of ours.
    if (id && /^[vcps]/.test(id))
      times.set(id, { created_at: created, updated_at: lastmod, revised_at: lastmod })
  }
  return times
}
