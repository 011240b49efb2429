import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { refreshTouched } from '../browse/listings/refresh-queries.ts'
import { inLongTransaction } from '../db/long-transaction.ts'
import { signal } from '../db/signals.ts'
import { indexTransaction } from '../search/index/touched-queries.ts'
import { findChangedKinds } from './changed-entries.ts'
import { deriveEntries } from './derive-entries.ts'
import { deriveLinks } from './derive-links.ts'
import { keepRecords } from './keep-records.ts'
import { DERIVED_KINDS } from './record-kinds.ts'
import type { ImportReport, Source, SourceRecord } from './record.ts'
import { resolve } from './resolve.ts'
import { stage } from './stage.ts'
import { findUnchanged, keepChecksum, type Reported } from './unchanged-dump.ts'

/** Any number, the same in every process: one import at a time. */
const LOCK = 7_301_957

export type ImportSummary = { source: Source } & Reported

/**
 * Loads what a source says and derives the catalog from it, in one transaction: all of it happens or nothing does.
 * A second run with the same input changes nothing.
 *
 * @param checksum of the dump; one that was imported last is not read again
 */
export async function importSource(
  db: Database,
  source: Source,
  records: (report: ImportReport, trx: Database) => AsyncIterable<SourceRecord>,
  onProgress: (count: number) => void = () => {},
  checksum?: string,
): Promise<ImportSummary> {
  const remarks = new Map<string, { count: number; example: string | undefined }>()
  const report: ImportReport = {
    note(remark, example) {
      const known = remarks.get(remark)
      remarks.set(remark, { count: (known?.count ?? 0) + 1, example: known?.example ?? example })
    },
  }
  return inLongTransaction(db, Infinity, async (trx) => {
    // A day that a source names begins at midnight UTC, whatever the server has set.
    await sql`set local timezone = 'UTC'`.execute(trx)
    await sql`select pg_advisory_xact_lock(${LOCK}::bigint)`.execute(trx)
    const known = checksum === undefined ? undefined : await findUnchanged(trx, source, checksum)
    if (known) return { source, ...known }
    await stage(trx, records(report, trx), report, onProgress)
    await sql`analyze staged`.execute(trx)
    await resolve(trx, source, report)
    const kinds = await keepRecords(trx, source)
    const changedKinds = await findChangedKinds(trx)
    if (changedKinds.size > 0) {
      for (const kind of DERIVED_KINDS.filter((one) => changedKinds.has(one))) await deriveEntries(trx, kind)
      await deriveLinks(trx)
      await refreshTouched(trx)
      await indexTransaction(trx)
      await signal(trx, 'catalog')
    }
    const reported = {
      kinds,
      remarks: [...remarks]
        .map(([remark, { count, example }]) => ({ remark, count, example }))
        .toSorted((a, b) => b.count - a.count || (a.remark < b.remark ? -1 : 1)),
    }
    if (checksum !== undefined) await keepChecksum(trx, source, checksum, reported)
    return { source, ...reported }
  })
}
