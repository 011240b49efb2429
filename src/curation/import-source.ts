import { hostname } from 'node:os'
import { sql } from 'kysely'
import { printableWithin } from '../kernel/printable.ts'
import type { Database } from '../db/database.ts'
import { inLongTransaction } from '../db/server/long-transaction.ts'
import { ShrinkError } from './guard/shrink-error.ts'
import { Dependencies } from '../sources/dump/dependencies.ts'
import { joinAndDerive, loadRecords, type LoadOptions, type RecordCounts } from './load-records.ts'
import type { ReadRecords, Source } from '../sources/records/record.ts'
import { collectRemarks, type Remark } from './remarks.ts'
import type { DumpFacts } from '../sources/dump/dump-facts.ts'
import { ImportBusyError, takeImportLock, type WhenBusy } from './runs/import-lock.ts'
import { startPhaseClock } from './runs/phase-clock.ts'
import { abandonRun, beginRun, completeRun } from './runs/queries.ts'
import { findUnchangedDump, saveChecksum } from './unchanged-dump.ts'

/** Maximum length, in characters, of a failure reason. The database quotes values, which may be large. */
const MAX_REASON_LENGTH = 2_000

export type ImportSummary = {
  source: Source
  kinds: RecordCounts[]
  /** Rows that the importer skipped or read differently, most frequent first. */
  remarks: Remark[]
}

export type SourceImportOptions = LoadOptions & {
  dump?: DumpFacts | undefined
  /**
   * Checksum of the dump. If the last import had the same checksum, the dump is read again only if its dependencies
   * changed.
   */
  checksum?: string | undefined
  /** Complete only after the records have been read. */
  dependencies?: Dependencies | undefined
} & WhenBusy

/**
 * Imports the records of a source and derives the catalog, in one transaction. Importing the same input again changes
 * nothing.
 *
 * @throws {ShrinkError} if the import would remove more than is allowed
 * @throws {ImportBusyError} if another import is running and `whenBusy` is `refuse`
 */
export async function importSource(
  db: Database,
  source: Source,
  records: ReadRecords,
  {
    dump,
    checksum,
    dependencies = new Dependencies(),
    whenBusy,
    onWait,
    ...options
  }: SourceImportOptions = {},
): Promise<ImportSummary> {
  const run = await beginRun(db, source, dump, { pid: process.pid, host: hostname() })
  const { onProgress, phaseSeconds } = startPhaseClock(options.onProgress ?? (() => {}))
  try {
    const reported = await inLongTransaction(db, Infinity, async (trx) => {
      // Dates from sources start at midnight UTC, regardless of the server's time zone.
      await sql`set local timezone = 'UTC'`.execute(trx)
      await takeImportLock(trx, run, { whenBusy, onWait })
      const known =
        checksum === undefined
          ? undefined
          : await findUnchangedDump(trx, source, checksum, dependencies)
      const { report, remarks } = collectRemarks(known?.remarks)
      const read = async () => ({
        kinds: await loadRecords(trx, source, records, report, { ...options, onProgress }),
        remarks: remarks(),
      })
      const loaded = known ?? (await read())
      // Runs even for an unchanged dump, because other sources may have new records to join.
      const kinds = await joinAndDerive(trx, source, { kinds: loaded.kinds, report, onProgress })
      if (checksum !== undefined && !known)
        await saveChecksum(trx, source, checksum, dependencies, loaded)
      const result = { kinds, remarks: remarks() }
      await completeRun(trx, run, { ...result, phaseSeconds: phaseSeconds() })
      return result
    })
    return { source, ...reported }
  } catch (error) {
    const outcome =
      error instanceof ShrinkError || error instanceof ImportBusyError ? 'refused' : 'failed'
    // If the database is unreachable, the original error matters more.
    const reason = printableWithin(
      MAX_REASON_LENGTH,
      error instanceof Error ? error.message : String(error),
    )
    await abandonRun(db, run, outcome, reason).catch(() => {})
    throw error
  }
}
