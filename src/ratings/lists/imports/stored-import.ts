import { gzip } from 'node:zlib'
import { promisify } from 'node:util'
import type { Database } from '../../../db/database.ts'
import { inLongTransaction } from '../../../db/server/long-transaction.ts'
import {
  findLastChangeId,
  listChangesBetween,
  type PastChange,
  progressBefore,
  valuesBefore,
} from '../../own/history-queries.ts'
import { findProgressOf } from '../../progress/queries.ts'
import type { ProgressWrite } from '../../progress/write-queries.ts'
import { saveProgressRows } from './progress-queries.ts'
import { deleteRatings } from '../../own/queries.ts'
import { withChosenWorks } from './chosen-works.ts'
import {
  completeStoredImport,
  lockStoredImport,
  saveUndoResult,
  type StoredImport,
  type UndoResult,
} from './stored-import-queries.ts'
import { findStoredRatings, lockRatings, saveImportedRatings } from './import-queries.ts'
import { batches, importList, MAX_STATEMENT_MS, WRITE_BATCH_SIZE } from './import-list.ts'
import type { ImportQueue } from './import-queue.ts'
import type { ListFile } from '../formats/list-row.ts'
import type { RowReport } from './outcome.ts'
import { readListFile } from '../formats/read-list-file.ts'
import { countRowOutcomes } from './report.ts'
import type { ValidateRow } from './row-validator.ts'

const gzipAsync = promisify(gzip)

/** Compresses a file for storage, unless it is already a gzip file. */
export const compressFile = async (bytes: Buffer): Promise<Buffer> =>
  bytes[0] === 0x1f && bytes[1] === 0x8b ? bytes : gzipAsync(bytes)

type StoredImportOptions = {
  accountId: number
  overwrite: boolean
  validateRow: ValidateRow
  imports: ImportQueue
}

export type PlannedImport = { file: ListFile; reports: RowReport[] }

/** Plans a stored import with the works that the user has assigned. */
export async function planStoredImport(
  db: Database,
  stored: StoredImport,
  options: StoredImportOptions,
): Promise<PlannedImport> {
  const file = await rowsOf(stored)
  return {
    file,
    reports: await importList(db, file.rows, { ...options, clientId: null, dryRun: true }),
  }
}

async function rowsOf({ source, file, chosen }: StoredImport): Promise<ListFile> {
  if (!file) throw new Error('The import has been completed and its file deleted')
  const read = await readListFile(source, file)
  const works = Object.entries(chosen).flatMap(([row, workId]): [number, number][] =>
    workId === null ? [] : [[Number(row), workId]],
  )
  return { ...read, rows: withChosenWorks(read.rows, new Map(works)) }
}

/** Thrown if the import has expired or the user has uploaded another file. */
export class ImportGoneError extends Error {
  override name = 'ImportGoneError'
}

/**
 * Writes a stored import and its result in one transaction. Does nothing if the import has already been completed.
 *
 * @throws {ImportGoneError} if the import has expired or the user has uploaded another file
 */
export async function runStoredImport(
  db: Database,
  stored: StoredImport,
  options: StoredImportOptions,
): Promise<void> {
  if (stored.counts) return
  const { accountId } = options
  const file = await rowsOf(stored)
  await importList(db, file.rows, {
    ...options,
    clientId: null,
    dryRun: false,
    async wrapWrite(trx, write) {
      const locked = await lockStoredImport(trx, accountId)
      if (locked?.id !== stored.id) throw new ImportGoneError()
      if (locked.counts) return []
      const firstChange = await findLastChangeId(trx, accountId)
      const reports = await write()
      const lastChange = await findLastChangeId(trx, accountId)
      await completeStoredImport(trx, accountId, {
        counts: countRowOutcomes(reports),
        firstChange,
        lastChange,
      })
      return reports
    },
  })
}

/**
 * Undoes an import in one transaction: deletes the ratings it created, and restores the ratings it changed. Ratings
 * that have changed since stay as they are. Labels are restored as far as the user still may have them. A second call
 * returns the result of the first.
 *
 * @throws {ImportGoneError} if the import is gone or has not been completed
 */
export function undoStoredImport(
  db: Database,
  id: string,
  { accountId, imports }: Pick<StoredImportOptions, 'accountId' | 'imports'>,
): Promise<UndoResult> {
  return imports.enqueue(accountId, () =>
    inLongTransaction(db, MAX_STATEMENT_MS, async (trx) => {
      await lockRatings(trx, accountId)
      const locked = await lockStoredImport(trx, accountId)
      if (locked?.id !== id || !locked.counts) throw new ImportGoneError()
      if (locked.undone) return locked.undone
      const { first_change, last_change } = locked
      const changes = await listChangesBetween(trx, accountId, first_change ?? 0, last_change ?? 0)
      // Changes that remove labels come first, so that the other batches can restore as many as possible.
      const latest = changes
        .filter(({ isLatest }) => isLatest)
        .toSorted((one, other) => labelsBefore(one) - labelsBefore(other))
      await restoreRatings(trx, accountId, latest)
      const undone = { undone: latest.length, kept: changes.length - latest.length }
      await saveUndoResult(trx, accountId, undone)
      return undone
    }),
  )
}

const labelsBefore = (change: PastChange) => progressBefore(change).labels?.length ?? 0

async function restoreRatings(
  trx: Database,
  accountId: number,
  changes: PastChange[],
): Promise<void> {
  const after = await findLastChangeId(trx, accountId)
  for (const batch of batches(changes, WRITE_BATCH_SIZE)) {
    const created = batch.filter(({ action }) => action === 'CREATED')
    const changed = batch.filter(({ action }) => action === 'CHANGED')
    const createdWorks = created.map(({ kind, work_id: id }) => ({ kind, id }))
    await deleteRatings(trx, accountId, createdWorks)
    const changedIds = changed.map(({ work_id: workId }) => workId)
    const stored = await findStoredRatings(trx, accountId, changedIds)
    const writes = changed.flatMap((change) => {
      const { work_id: workId, kind } = change
      const now = stored.get(workId)
      return now ? [{ work: { workId, kind }, rating: { ...now, ...valuesBefore(change) } }] : []
    })
    await saveImportedRatings(trx, accountId, null, writes)
    const progress = await progressBeforeImport(trx, accountId, batch)
    await saveProgressRows(trx, accountId, null, { writes: progress, after })
  }
}

/** Returns the changes that restore the progress before the import. */
async function progressBeforeImport(
  trx: Database,
  accountId: number,
  changes: PastChange[],
): Promise<ProgressWrite[]> {
  const ids = changes.map(({ work_id: workId }) => workId)
  const stored = await findProgressOf(trx, accountId, ids)
  return changes.flatMap((past) => {
    const { work_id: workId, kind } = past
    const change = progressBefore(past)
    return Object.keys(change).length === 0
      ? []
      : [{ work: { workId, kind }, stored: stored.get(workId), change }]
  })
}
