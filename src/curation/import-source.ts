import { hostname } from 'node:os'
import { sql } from 'kysely'
import { printableWithin } from '../kernel/printable.ts'
import type { Database } from '../db/database.ts'
import { inLongTransaction } from '../db/server/long-transaction.ts'
import { ShrinkError } from './guard/shrink-error.ts'
import { Dependence } from '../sources/dump/dependence.ts'
import { joinAndDerive, loadRecords, type LoadOptions, type RecordCounts } from './load-records.ts'
import type { ReadRecords, Source } from '../sources/records/record.ts'
import { collectRemarks, type Remark } from './remarks.ts'
import type { DumpFacts } from '../sources/dump/dump-facts.ts'
import { ImportBusy, takeImportLock, type ImportAtWork } from './runs/import-lock.ts'
import { startPhaseClock } from './runs/phase-clock.ts'
import { abandonRun, beginRun, completeRun } from './runs/queries.ts'
import { findUnchanged, keepChecksum } from './unchanged-dump.ts'

/** Characters of why a run failed: the database quotes values, which may be large. */
const LONGEST_REASON = 2_000

export type ImportSummary = {
  source: Source
  kinds: RecordCounts[]
  /** What the importer left out or read differently, most frequent first. */
  remarks: Remark[]
}

export type SourceImportOptions = LoadOptions & {
  dump?: DumpFacts | undefined
  /** Of the dump: one that was imported last is not read again, unless what its records depend on besides has changed. */
  checksum?: string | undefined
  /** Known once the records are read. */
  dependence?: Dependence | undefined
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
  records: ReadRecords,
  { dump, checksum, dependence = new Dependence(), onWait, ...options }: SourceImportOptions = {},
): Promise<ImportSummary> {
  const run = await beginRun(db, source, dump, { pid: process.pid, host: hostname() })
  const { onProgress, phaseSeconds } = startPhaseClock(options.onProgress ?? (() => {}))
  try {
    const reported = await inLongTransaction(db, Infinity, async (trx) => {
      await beginImport(trx, run, onWait)
      const known =
        checksum === undefined ? undefined : await findUnchanged(trx, source, checksum, dependence)
      const { report, remarks } = collectRemarks(known?.remarks)
      const read = async () => ({
        kinds: await loadRecords(trx, source, records, report, { ...options, onProgress }),
        remarks: remarks(),
      })
      const loaded = known ?? (await read())
      // Of an unchanged dump too: what its records are joined with may be what others say.
      const kinds = await joinAndDerive(trx, source, { kinds: loaded.kinds, report, onProgress })
      if (checksum !== undefined && !known)
        await keepChecksum(trx, source, checksum, dependence, loaded)
      const result = { kinds, remarks: remarks() }
      await completeRun(trx, run, { ...result, phaseSeconds: phaseSeconds() })
      return result
    })
    return { source, ...reported }
  } catch (error) {
    const outcome =
      error instanceof ShrinkError || error instanceof ImportBusy ? 'refused' : 'failed'
    // Where the database has gone, it is what went wrong first that counts.
    const reason = printableWithin(
      LONGEST_REASON,
      error instanceof Error ? error.message : String(error),
    )
    await abandonRun(db, run, outcome, reason).catch(() => {})
    throw error
  }
}

async function beginImport(
  trx: Database,
  run: number,
  onWait: SourceImportOptions['onWait'] = () => {},
) {
  // A day that a source names begins at midnight UTC, whatever the server has set.
  await sql`set local timezone = 'UTC'`.execute(trx)
  await takeImportLock(trx, run, onWait ?? undefined)
}
