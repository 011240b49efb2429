import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type CopyFolder, readTable } from '../copy-text.ts'
import type { ImportReport } from '../record.ts'
import { type Extlinks, readExtlinks } from './extlinks.ts'

const VNDB_TABLES = ['vn', 'chars', 'staff', 'producers']

/**
 * The tables of an unpacked VNDB dump: files `<table>` and `<table>.header` in its folder `db`.
 *
 * @param dir the folder of the dump, or its `db`
 * @throws {Error} when there is no table of novels, characters, staff or producers in it
 */
export function openVndb(dir: string, report: ImportReport): CopyFolder {
  const found = [join(dir, 'db'), dir].find((db) => VNDB_TABLES.some((table) => existsSync(join(db, table))))
  if (!found) throw new Error(`${dir} holds no VNDB dump: there is no db/vn in it`)
  return { dir: found, header: 'own file', report }
}

/** What entries of every kind take from elsewhere in the dump. */
export type Shared = { extlinks: Extlinks; times: ReadonlyMap<string, EntryTimes> }

export async function readShared(dump: CopyFolder): Promise<Shared> {
  return { extlinks: await readExtlinks(dump), times: await readTimes(dump) }
}

/** When an entry was made and last changed, as VNDB publishes it: days without a time. */
type EntryTimes = { created_at: string | null; updated_at: string | null; revised_at: string | null }

async function readTimes(dump: CopyFolder): Promise<Map<string, EntryTimes>> {
  const times = new Map<string, EntryTimes>()
  for await (const { id, created, lastmod } of readTable(dump, 'entry_meta', ['id', 'created', 'lastmod'])) {
    // Releases, tags and traits have times too, and are no entries of ours.
    if (id && /^[vcps]/.test(id))
      times.set(id, { created_at: created, updated_at: lastmod, revised_at: lastmod })
  }
  return times
}
