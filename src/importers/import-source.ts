import { hostname } from 'node:os'
import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { refreshTouched } from '../browse/listings/refresh-queries.ts'
import { inLongTransaction } from '../db/long-transaction.ts'
import { signal } from '../db/signals.ts'
import { indexTransaction } from '../search/index/touched-queries.ts'
import { deriveEntries } from './derive-entries.ts'
import { deriveLinks } from './derive-links.ts'
import { findShrinks, type Shrink } from './guard/shrink.ts'
import { ShrinkError } from './guard/shrink-error.ts'
import { takeBackReturned, withdrawVanished } from './guard/withdraw.ts'
import { keepRecords, type KindCounts } from './keep-records.ts'
import type { ImportProgress } from './progress.ts'
import { DERIVED_KINDS } from './record-kinds.ts'
import type { ImportReport, Source, SourceRecord } from './record.ts'
import { collectRemarks, type Remark } from './remarks.ts'
import { resolve } from './resolve.ts'
import { ImportBusy, takeImportLock, type ImportAtWork } from './runs/import-lock.ts'
import type { DumpFacts } from './runs/dump-facts.ts'
import { startPhaseClock } from './runs/phase-clock.ts'
import { abandonRun, beginRun, completeRun } from './runs/queries.ts'
import { stage } from './stage.ts'

/** What became of the records of a kind; those that were returned are not among the changed. */
export type RecordCounts = KindCounts & { withdrawn: number; returned: number }

export type ImportSummary = {
  source: Source
  kinds: RecordCounts[]
  /** What the importer left out or read differently, most frequent first. */
  remarks: Remark[]
}

export type SourceImportOptions = {
  /** Asked once they are read: whether these are all records of the source. Then one that is not among them is withdrawn. */
  isWhole?: () => boolean
  /** What may shrink however much: all, or what is named as in `Shrink`. */
  allowShrink?: ReadonlySet<string> | 'all'
  dump?: DumpFacts | undefined
  onProgress?: (progress: ImportProgress) => void
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
  records: (report: ImportReport) => AsyncIterable<SourceRecord>,
  options: SourceImportOptions = {},
): Promise<ImportSummary> {
  const run = await beginRun(db, source, options.dump, { pid: process.pid, host: hostname() })
  const { report, remarks } = collectRemarks()
  const { onProgress, phaseSeconds } = startPhaseClock(options.onProgress ?? (() => {}))
  try {
    const kinds = await inLongTransaction(db, Infinity, async (trx) => {
      await beginImport(trx, run, options)
      const counts = await loadRecords(trx, source, records(report), report, { ...options, onProgress })
      await completeRun(trx, run, { kinds: counts, remarks: remarks(), phaseSeconds: phaseSeconds() })
      return counts
    })
    return { source, kinds, remarks: remarks() }
  } catch (error) {
    const outcome = error instanceof ShrinkError || error instanceof ImportBusy ? 'refused' : 'failed'
    // Where the database has gone, it is what went wrong first that counts.
    await abandonRun(db, run, outcome, error instanceof Error ? error.message : String(error)).catch(() => {})
    throw error
  }
}

async function beginImport(trx: Database, run: number, { onWait = () => {} }: SourceImportOptions) {
  // A day that a source names begins at midnight UTC, whatever the server has set.
  await sql`set local timezone = 'UTC'`.execute(trx)
  await takeImportLock(trx, run, onWait ?? undefined)
}

async function loadRecords(
  trx: Database,
  source: Source,
  records: AsyncIterable<SourceRecord>,
  report: ImportReport,
  { isWhole = () => false, allowShrink = new Set(), onProgress = () => {} }: SourceImportOptions,
): Promise<RecordCounts[]> {
  await stage(trx, records, report, (done) =>
    onProgress({ phase: 'reading', done, total: undefined, unit: 'records' }),
  )
  onProgress({ phase: 'comparing', done: 0, total: 4, unit: 'steps' })
  await sql`analyze staged`.execute(trx)
  await resolve(trx, source, report)
  onProgress({ phase: 'comparing', done: 1, total: 4, unit: 'steps' })
  refuse(await findShrinks(trx, source, isWhole()), allowShrink)
  onProgress({ phase: 'comparing', done: 2, total: 4, unit: 'steps' })
  const kept = await keepRecords(trx, source)
  onProgress({ phase: 'comparing', done: 3, total: 4, unit: 'steps' })
  const returned = await takeBackReturned(trx, source)
  const withdrawn = isWhole() ? await withdrawVanished(trx, source) : new Map<string, number>()
  const counts = countsOf(kept, returned, withdrawn)
  const changedKinds = new Set(counts.filter((one) => differencesIn(one) > 0).map(({ kind }) => kind))
  if (changedKinds.size > 0) await derive(trx, source, changedKinds, onProgress)
  return counts
}

/** @throws {ShrinkError} when something shrinks that may not */
function refuse(shrinks: Shrink[], allowed: ReadonlySet<string> | 'all') {
  const refused = shrinks.filter(({ what }) => allowed !== 'all' && !allowed.has(what))
  if (refused.length > 0) throw new ShrinkError(refused)
}

const differencesIn = ({ created, changed, withdrawn, returned }: RecordCounts) =>
  created + changed + withdrawn + returned

/** One that is back has been written like one that has changed. */
function countsOf(kept: KindCounts[], returned: Map<string, number>, withdrawn: Map<string, number>) {
  const none = { created: 0, changed: 0, unchanged: 0 }
  const kinds = [...new Set([...kept.map(({ kind }) => kind), ...withdrawn.keys()])].toSorted()
  return kinds.map((kind): RecordCounts => {
    const counts = kept.find((one) => one.kind === kind) ?? { kind, ...none }
    const back = returned.get(kind) ?? 0
    return {
      ...counts,
      changed: counts.changed - back,
      withdrawn: withdrawn.get(kind) ?? 0,
      returned: back,
    }
  })
}

/** Derives the changed entries and all that follows from them, and tells every process. */
async function derive(
  trx: Database,
  source: Source,
  changedKinds: ReadonlySet<string>,
  onProgress: (progress: ImportProgress) => void,
) {
  const kinds = DERIVED_KINDS.filter((kind) => changedKinds.has(kind))
  const total = kinds.length + 2
  for (const [done, kind] of kinds.entries()) {
    onProgress({ phase: 'deriving', done, total, unit: 'steps' })
    await deriveEntries(trx, kind)
  }
  onProgress({ phase: 'deriving', done: kinds.length, total, unit: 'steps' })
  await deriveLinks(trx, source)
  onProgress({ phase: 'deriving', done: kinds.length + 1, total, unit: 'steps' })
  await refreshTouched(trx)
  await indexTransaction(trx, (done, entries) =>
    onProgress({ phase: 'indexing', done, total: entries, unit: 'entries' }),
  )
  await signal(trx, 'catalog')
}
