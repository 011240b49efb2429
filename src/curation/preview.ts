import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { inLongTransaction } from '../db/server/long-transaction.ts'
import type { Shrink } from './guard/shrink.ts'
import type { SourceImportOptions } from './import-source.ts'
import type { JoinCounts } from './join/join-records.ts'
import { joinLoaded, loadRecords, type RecordCounts } from './load-records.ts'
import { compareStaged, listExamples, markJoined, type Examples } from './outcomes.ts'
import { idTableOf, RECORD_KIND_NAMES } from '../sources/records/record-kinds.ts'
import type { ReadRecords, Source } from '../sources/records/record.ts'
import { collectRemarks, type Remark } from './remarks.ts'
import { takeImportLock } from './runs/import-lock.ts'

export type ImportPreview = {
  source: Source
  kinds: RecordCounts[]
  /** First records of each outcome, works first. */
  examples: Examples
  /** Entries that would be absorbed by others, and pairs that would be added to the review list. */
  joins: JoinCounts[]
  shrinks: Shrink[]
  remarks: Remark[]
}

/** Carries the result out of a transaction that is then rolled back. */
class Undone extends Error {
  readonly result: ImportPreview

  constructor(result: ImportPreview) {
    super('undone')
    this.result = result
  }
}

/**
 * Returns the effects that `importSource` would have. All changes are rolled back, and the ids drawn for new entries
 * are returned to their sequences.
 *
 * @throws {ImportBusyError} if another import is running and `whenBusy` is `refuse`
 */
export async function previewImport(
  db: Database,
  source: Source,
  records: ReadRecords,
  { isWhole = () => false, onProgress = () => {}, whenBusy, onWait }: SourceImportOptions = {},
): Promise<ImportPreview> {
  const { report, remarks } = collectRemarks()
  const undone: unknown = await inLongTransaction(db, Infinity, async (trx) => {
    await sql`set local timezone = 'UTC'`.execute(trx)
    await takeImportLock(trx, undefined, { whenBusy, onWait })
    const restoreSequences = await holdSequences(trx)
    let shrinks: Shrink[] = []
    const loaded = await loadRecords(trx, source, records, report, {
      isWhole,
      onProgress,
      beforeStoring: async (found) => {
        shrinks = found
        await compareStaged(trx, source, isWhole())
      },
    })
    const { kinds, joins } = await joinLoaded(trx, source, { kinds: loaded, report, onProgress })
    await markJoined(trx, source)
    await restoreSequences()
    throw new Undone({
      source,
      kinds,
      joins,
      examples: await listExamples(trx),
      shrinks,
      remarks: remarks(),
    })
  }).catch((error: unknown) => error)
  if (undone instanceof Undone) return undone.result
  throw undone
}

/**
 * Saves the id sequences of entries, pairs and merges, which a rollback does not reset. Only imports use these
 * sequences, one import at a time.
 *
 * @returns a function that resets the sequences
 */
async function holdSequences(trx: Database): Promise<() => Promise<void>> {
  const tables = new Set([...RECORD_KIND_NAMES.map(idTableOf), 'matches', 'entry_merges'])
  const states: { name: string; last_value: number; is_called: boolean }[] = []
  for (const table of tables) {
    const { rows } = await sql<{ name: string }>`
      select pg_get_serial_sequence(${table}::text, 'id') as name`.execute(trx)
    for (const { name } of rows) {
      const { rows: found } = await sql<{ last_value: number; is_called: boolean }>`
        select last_value, is_called from ${sql.raw(name)}`.execute(trx)
      states.push(...found.map((state) => ({ name, ...state })))
    }
  }
  return async () => {
    for (const { name, last_value, is_called } of states)
      await sql`select setval(${name}::text::regclass, ${last_value}::bigint, ${is_called}::boolean)`.execute(
        trx,
      )
  }
}
