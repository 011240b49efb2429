import { hostname } from 'node:os'
import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { inLongTransaction } from '../db/long-transaction.ts'
import { ShrinkError } from './guard/shrink-error.ts'
import { loadRecords, type LoadOptions, type RecordCounts } from './load-records.ts'
import type { ImportReport, Source, SourceRecord } from './record.ts'
import { collectRemarks, type Remark } from './remarks.ts'
import type { DumpFacts } from './runs/dump-facts.ts'
import { ImportBusy, takeImportLock, type ImportAtWork } from './runs/import-lock.ts'
import { startPhaseClock } from './runs/phase-clock.ts'
import { abandonRun, beginRun, completeRun } from './runs/queries.ts'
import { findUnchanged, keepChecksum } from './unchanged-dump.ts'

export type ImportSummary = {
  source: Source
  kinds: RecordCounts[]
  /** What the importer left out or read differently, most frequent first. */
  remarks: Remark[]
}

export type SourceImportOptions = LoadOptions & {
  dump?: DumpFacts | undefined
  /** Of the dump, and of what else its records depend on; one that was imported last is not read again. */
  checksum?: string | undefined
  /** Called when another import is at work, which this one then waits for; null: it is not to wait. */
  onWait?: ((other: ImportAtWork | undefined) => void) | null
}

/**
 * Loads what a source says and derives the catalog from it, in one transaction: all of it happens or nothing does.
 * A second run with the same input changes nothing.
 *
 * @throws {ShrinkError} when it would take away more than may go unasked
 * @throws {ImportBusy} when another import is at work and it is not to wait
 */
export async function importSource(
  db: Database,
  source: Source,
  records: (report: ImportReport, trx: Database) => AsyncIterable<SourceRecord>,
  { dump, checksum, onWait, ...options }: SourceImportOptions = {},
): Promise<ImportSummary> {
  const run = await beginRun(db, source, dump, { pid: process.pid, host: hostname() })
  const { report, remarks } = collectRemarks()
  const { onProgress, phaseSeconds } = startPhaseClock(options.onProgress ?? (() => {}))
  try {
    const reported = await inLongTransaction(db, Infinity, async (trx) => {
      await beginImport(trx, run, onWait)
      const known = checksum === undefined ? undefined : await findUnchanged(trx, source, checksum)
      const load = async () => ({
        kinds: await loadRecords(trx, source, records(report, trx), report, { ...options, onProgress }),
        remarks: remarks(),
      })
      const result = known ?? (await load())
      if (checksum !== undefined && !known) await keepChecksum(trx, source, checksum, result)
      await completeRun(trx, run, { ...result, phaseSeconds: phaseSeconds() })
      return result
    })
    return { source, ...reported }
  } catch (error) {
    const outcome = error instanceof ShrinkError || error instanceof ImportBusy ? 'refused' : 'failed'
    // Where the database has gone, it is what went wrong first that counts.
    await abandonRun(db, run, outcome, error instanceof Error ? error.message : String(error)).catch(() => {})
    throw error
  }
}

async function beginImport(trx: Database, run: number, onWait: SourceImportOptions['onWait'] = () => {}) {
  // A day that a source names begins at midnight UTC, whatever the server has set.
  await sql`set local timezone = 'UTC'`.execute(trx)
  await takeImportLock(trx, run, onWait ?? undefined)
}
