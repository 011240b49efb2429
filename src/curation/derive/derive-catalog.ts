import { sql } from 'kysely'
import { refreshTransaction } from '../../browse/listings/refresh-queries.ts'
import type { Database } from '../../db/database.ts'
import { signal } from '../../db/upkeep/signals.ts'
import { indexTransaction } from '../../search/index/touched-queries.ts'
import type { ImportProgress } from '../../sources/records/progress.ts'
import { DERIVED_KINDS, RECORD_KINDS } from '../../sources/records/record-kinds.ts'
import { LINK_TABLES } from '../records/link-tables.ts'
import { countChangedEntries, findChangedKinds, hasManyChanges } from './changed-entries.ts'
import { deriveEntries } from './derive-entries.ts'
import { deriveLinks } from './derive-links.ts'

/**
 * Derives the entries in `changed_entries`, if any, and the lists of works that may change, with their listings and
 * search index, and sends a signal to all processes.
 */
export async function deriveCatalog(
  trx: Database,
  onProgress: (progress: ImportProgress) => void = () => {},
): Promise<void> {
  if ((await countChangedEntries(trx)) === 0) return
  const changedKinds = await findChangedKinds(trx)
  const kinds = DERIVED_KINDS.filter((kind) => changedKinds.has(kind))
  const reportSteps = (done: number) =>
    onProgress({ phase: 'deriving', done, total: kinds.length + 2, unit: 'steps' })
  for (const [done, kind] of kinds.entries()) {
    reportSteps(done)
    await deriveEntries(trx, kind)
  }
  reportSteps(kinds.length)
  await deriveLinks(trx)
  reportSteps(kinds.length + 1)
  await refreshTransaction(trx)
  await indexTransaction(trx, (done, total) =>
    onProgress({ phase: 'indexing', done, total, unit: 'entries' }),
  )
  if (await hasManyChanges(trx)) await analyzeCatalog(trx)
  await signal(trx, 'catalog')
}

/** Updates statistics, which the embedded database never does by itself. Without them, pages take twice as long. */
async function analyzeCatalog(trx: Database) {
  const tables = [
    'works',
    ...Object.values(RECORD_KINDS).map(({ table }) => table),
    ...LINK_TABLES.map(({ table }) => table),
  ]
  // A fifth of the usual sample is enough for lookups by id and for counts, even if rows are wide.
  await sql`set local default_statistics_target = 20`.execute(trx)
  await sql`analyze ${sql.join([...tables, 'galgame_character_actors'].map((table) => sql.table(table)))}`.execute(
    trx,
  )
  await sql`set local default_statistics_target to default`.execute(trx)
}
