import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { refreshTouched } from '../browse/listings/refresh-queries.ts'
import { inLongTransaction } from '../db/long-transaction.ts'
import { signal } from '../db/signals.ts'
import { indexTransaction } from '../search/index/touched-queries.ts'
import { deriveChanged } from './derive-changed.ts'
import { joinRecords } from './identity/join-records.ts'
import { IMPORT_LOCK } from './import-lock.ts'
import { keepRecords, type KindCounts } from './keep-records.ts'
import type { ImportReport, Source, SourceRecord } from './record.ts'
import { resolve } from './resolve.ts'
import { stage } from './stage.ts'

export type ImportSummary = {
  source: Source
  kinds: KindCounts[]
  /** What the importer left out or read differently, most frequent first. */
  remarks: { remark: string; count: number; example: string | undefined }[]
}

/**
 * Loads what a source says and derives the catalog from it, in one transaction: all of it happens or nothing does.
 * A second run with the same input changes nothing.
 */
export async function importSource(
  db: Database,
  source: Source,
  records: (report: ImportReport) => AsyncIterable<SourceRecord>,
  onProgress: (count: number) => void = () => {},
): Promise<ImportSummary> {
  const remarks = new Map<string, { count: number; example: string | undefined }>()
  const report: ImportReport = {
    note(remark, example) {
      const known = remarks.get(remark)
      remarks.set(remark, { count: (known?.count ?? 0) + 1, example: known?.example ?? example })
    },
  }
  const kinds = await inLongTransaction(db, Infinity, async (trx) => {
    // A day that a source names begins at midnight UTC, whatever the server has set.
    await sql`set local timezone = 'UTC'`.execute(trx)
    await sql`select pg_advisory_xact_lock(${IMPORT_LOCK}::bigint)`.execute(trx)
    await stage(trx, records(report), report, onProgress)
    await sql`analyze staged`.execute(trx)
    await resolve(trx, source)
    const counts = await keepRecords(trx, source)
    const joined = await joinRecords(trx, source, report)
    if (joined || counts.some(({ created, changed }) => created + changed > 0)) {
      await deriveChanged(trx, joined ? 'all' : source)
      await refreshTouched(trx)
      await indexTransaction(trx)
      await signal(trx, 'catalog')
    }
    return counts
  })
  return {
    source,
    kinds,
    remarks: [...remarks]
      .map(([remark, { count, example }]) => ({ remark, count, example }))
      .toSorted((a, b) => b.count - a.count || (a.remark < b.remark ? -1 : 1)),
  }
}
