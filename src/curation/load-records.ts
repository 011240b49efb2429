import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { createChangedEntries } from './derive/changed-entries.ts'
import { deriveCatalog } from './derive/derive-catalog.ts'
import { findShrinks, type Shrink } from './guard/shrink.ts'
import { ShrinkError } from './guard/shrink-error.ts'
import { restoreReturned, withdrawMissing } from './guard/withdraw.ts'
import { joinRecords, type JoinCounts } from './join/join-records.ts'
import { storeRecords, type KindCounts } from './records/store-records.ts'
import type { ImportProgress } from '../sources/records/progress.ts'
import type { ImportReport, ReadRecords, Source } from '../sources/records/record.ts'
import { resolveEntries } from './records/resolve-entries.ts'
import { stageRecords } from './records/stage-records.ts'

/**
 * Number of records of a kind by outcome. Each record is counted once. New records that joined an entry from another
 * source count as `joined`, not as `created`; earlier versions did not distinguish the two.
 */
export type RecordCounts = KindCounts & { joined?: number; withdrawn: number; returned: number }

export type LoadOptions = {
  /**
   * Called after reading. If it returns true, the records are all records of the source, and missing ones are
   * withdrawn.
   */
  isWhole?: () => boolean
  /** Names (as in `Shrink`) of the entries, lists and fields that may shrink without limit. */
  allowShrink?: ReadonlySet<string> | 'all'
  onProgress?: (progress: ImportProgress) => void
}

/**
 * Loads the records of a source within a transaction. `joinAndDerive` then creates the entries.
 *
 * @param options `beforeStoring` is called with what shrinks too much, which is then not rejected
 * @throws {ShrinkError} if the import would remove more than is allowed
 */
export async function loadRecords(
  trx: Database,
  source: Source,
  records: ReadRecords,
  report: ImportReport,
  {
    isWhole = () => false,
    allowShrink = new Set(),
    onProgress = () => {},
    beforeStoring,
  }: LoadOptions & { beforeStoring?: (shrinks: Shrink[]) => Promise<void> },
): Promise<RecordCounts[]> {
  await stageRecords(trx, records, report, onProgress)
  onProgress({ phase: 'comparing', done: 0, total: 4, unit: 'steps' })
  await resolveEntries(trx, source)
  onProgress({ phase: 'comparing', done: 1, total: 4, unit: 'steps' })
  const shrinks = await findShrinks(trx, source, isWhole())
  if (beforeStoring) await beforeStoring(shrinks)
  else rejectShrinks(source, shrinks, allowShrink)
  onProgress({ phase: 'comparing', done: 2, total: 4, unit: 'steps' })
  const stored = await storeRecords(trx, source)
  onProgress({ phase: 'comparing', done: 3, total: 4, unit: 'steps' })
  const returned = await restoreReturned(trx, source)
  const withdrawn = isWhole() ? await withdrawMissing(trx, source) : new Map<string, number>()
  return countsOf(stored, returned, withdrawn)
}

/**
 * Joins a source's records with those from other sources, and derives the catalog from the changes.
 *
 * @param kinds outcome of the source's records so far
 * @returns the same counts, with joined records counted separately
 */
export async function joinAndDerive(
  trx: Database,
  source: Source,
  options: JoinOptions,
): Promise<RecordCounts[]> {
  await createChangedEntries(trx)
  const { kinds } = await joinLoaded(trx, source, options)
  await deriveCatalog(trx, options.onProgress)
  return kinds
}

export async function joinLoaded(
  trx: Database,
  source: Source,
  { kinds, report, onProgress }: JoinOptions,
): Promise<{ kinds: RecordCounts[]; joins: JoinCounts[] }> {
  const joins = await joinRecords(trx, source, report, (done, total) =>
    onProgress({ phase: 'joining', done, total, unit: 'steps' }),
  )
  const joined = kinds.some(({ created }) => created > 0)
    ? await countJoined(trx, source)
    : new Map()
  const counted = kinds.map((counts) => {
    const amount = joined.get(counts.kind) ?? 0
    return { ...counts, created: counts.created - amount, joined: amount }
  })
  return { kinds: counted, joins }
}

type JoinOptions = {
  kinds: RecordCounts[]
  report: ImportReport
  onProgress: (progress: ImportProgress) => void
}

/** Returns the number of a source's new records whose entry also has records from another source, keyed by kind. */
async function countJoined(trx: Database, source: Source): Promise<Map<string, number>> {
  const { rows } = await sql<{ kind: string; joined: number }>`
    select resolved.kind, count(*) as joined
    from resolved
    join source_records record
      on record.source = ${source} and record.kind = resolved.kind and record.external_id = resolved.external_id
    where resolved.is_new
      -- On a first import the table has no statistics, and the planner would compare all pairs. There is nothing to count without another source.
      and exists (select from source_records where source <> ${source})
      and exists (
        select from source_records other
        where other.kind = record.kind and other.entry_id = record.entry_id and other.source <> record.source
      )
    group by resolved.kind`.execute(trx)
  return new Map(rows.map(({ kind, joined }) => [kind, joined]))
}

/** @throws {ShrinkError} if anything shrinks more than is allowed */
function rejectShrinks(source: Source, shrinks: Shrink[], allowed: ReadonlySet<string> | 'all') {
  const refused = shrinks.filter(({ what }) => allowed !== 'all' && !allowed.has(what))
  if (refused.length > 0) throw new ShrinkError(source, refused)
}

/** Returning records were counted as changed when they were stored, so they are subtracted. */
function countsOf(
  stored: KindCounts[],
  returned: Map<string, number>,
  withdrawn: Map<string, number>,
) {
  const none = { created: 0, changed: 0, unchanged: 0 }
  const kinds = [...new Set([...stored.map(({ kind }) => kind), ...withdrawn.keys()])].toSorted()
  return kinds.map((kind): RecordCounts => {
    const counts = stored.find((item) => item.kind === kind) ?? { kind, ...none }
    const returnedCount = returned.get(kind) ?? 0
    return {
      ...counts,
      changed: counts.changed - returnedCount,
      withdrawn: withdrawn.get(kind) ?? 0,
      returned: returnedCount,
    }
  })
}
